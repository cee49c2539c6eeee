// The writing systems (scripts) of a text, by the names of nmt/writing_systems.py.

// Unicode's names of scripts, which differ from ours for Han only.
const NAMES = `Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Nko Devanagari Bengali Gurmukhi Gujarati Oriya
  Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Canadian_Aboriginal
  Khmer Mongolian Katakana Hiragana Bopomofo Han Yi Tifinagh Javanese Balinese Sundanese Tai_Le Ol_Chiki Vai Coptic
  Glagolitic Gothic Runic Ogham Lepcha Limbu Meetei_Mayek Cham Adlam`.split(/\s+/);
const SCRIPTS = NAMES.map((name) => [ours(name), new RegExp(`\\p{Script_Extensions=${name}}`, "u")]);
const LETTER = /[\p{L}\p{M}]/u;
const SHARED = /[ªºµ\u02b0-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe2f]/u; // accents
const OF_MANY = /[\p{Script=Common}\p{Script=Inherited}]/u;
const UNSPACED = new Set(["CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"]);
const WIDE = /[\u3000-\u303f\uff00-\uffef]/u; // punctuation of writing without spaces

function ours(name) {
  return name === "Han" ? "CJK" : name.replaceAll("_", " ").toUpperCase();
}

const known = new Map();

/** The script of a letter or mark, or null for what all scripts share. */
export function scriptOf(character) {
  if (!known.has(character)) {
    const has = LETTER.test(character) && !SHARED.test(character);
    const found = has && SCRIPTS.find(([, pattern]) => pattern.test(character))?.[0];
    known.set(character, found || (has && !OF_MANY.test(character) ? "ANOTHER SCRIPT" : null));
  }
  return known.get(character);
}

/** How many letters and marks of a text belong to each script. */
export function countScripts(text) {
  const counts = new Map();
  for (const character of text) {
    const script = scriptOf(character);
    if (script) counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  return counts;
}

/** Whether a character belongs to writing without spaces. */
export function isUnspaced(character) {
  return WIDE.test(character) || UNSPACED.has(scriptOf(character));
}

const LEFTWARDS = new Set(["HEBREW", "ARABIC", "SYRIAC", "THAANA", "NKO", "ADLAM"]);

/** Whether a text, by its first letter, is written from right to left. */
export function isLeftwards(text) {
  const first = Array.from(text).find((character) => scriptOf(character));
  return first !== undefined && LEFTWARDS.has(scriptOf(first));
}
