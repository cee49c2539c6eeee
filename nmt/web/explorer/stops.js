// The stops of the guided tour. The sentences are of the demo corpus's kind, English to French.

const HOW = "then python explore.py --run outputs/RUN --run outputs/NEW_RUN";
const alignment = (name) => (formulas) => formulas.alignment?.name === name;

/** Each sets the page to a state, and scrolls to what it is to `reveal`. The default model `writes` this there. `needs` tells whether a run's formulas will do,
 * `get` how to make such a run; unless it is to be seen `alone`, all runs are shown side by side. */
export const STOPS = [
  {
    title: "The encoder reads",
    sentences: [
      "Two recurrent networks read the sentence, one forwards and one backwards, and leave a vector at every piece: the strips.",
      "After three of five pieces, only the third has both halves.",
      "Step on (→) and watch the rest fill in; nothing is translated yet.",
    ],
    state: { text: "They are watching.", at: -2 },
    writes: "Ils regardent.",
  },
  {
    title: "One step of the decoder",
    sentences: [
      "“Ils” is written, and the decoder asks where to look next.",
      "Its state is the query (1), each piece gets an energy (2), softmax makes weights of them (3), the weighted states add up to the context (4), and from that comes the next token (5).",
      "The weight of “watching” is unfolded below its row: choose an energy there to go one level deeper.",
    ],
    state: { text: "They are watching.", at: 2, unfold: "w2" },
    writes: "Ils regardent.",
    reveal: ".anatomy",
  },
  {
    title: "Adjective and noun change places",
    sentences: [
      "English says “red car”, French “voiture rouge”.",
      "The two lines cross: the decoder looks at “car” first and comes back for “red”.",
      "No rule of word order stands anywhere in the model; it learnt to look there.",
    ],
    state: { text: "She has a red car.", at: null },
    writes: "Elle a une voiture rouge.",
  },
  {
    title: "Agreement",
    sentences: [
      "“vertes” is feminine and plural because “pommes” is, and the English “green” says neither.",
      "Yet the weights of this step are mostly on “green”.",
      "So not everything goes through the attention: gender and number came with the decoder's own state, which has just written “pommes”.",
    ],
    state: { text: "He bought the green apples.", at: 6 },
    writes: "Il a acheté les pommes vertes.",
  },
  {
    title: "ne … plus",
    sentences: [
      "One English negation becomes two French words with the verb between them.",
      "For “ne” the model looks at “doesn't”, for “plus” at “anymore”, far to the right.",
      "Step back (←) to step 2 and compare the two looks.",
    ],
    state: { text: "Emma doesn't see the black cat anymore.", at: 4 },
    writes: "Emma ne voit plus le chat noir.",
  },
  {
    title: "The mask, and the end",
    sentences: [
      "Sentences of a batch are filled up to one length with padding, and a mask sets its energies to −∞, so that its weight is exactly 0; alone, as here, a sentence has none.",
      "The piece “end” is real: where nothing in particular is to be looked at, as before the first word, much of the weight goes there.",
      "The log scale shows weights down to a thousandth.",
    ],
    state: { text: "They are watching.", at: 1, scale: "log" },
  },
  {
    title: "Teacher forcing",
    sentences: [
      "In training the decoder does not go on from its own words: it is given those of the reference, whatever it would have written.",
      "Here you are the teacher: “Vous” is given in place of “Tu”, and the verb follows it, “voyez” for “vois”.",
      "Take the mark under the sentence away to let the model speak for itself.",
    ],
    state: { text: "You see the cat.", begin: "Vous" },
    writes: "Vous voyez le chat.",
  },
  {
    title: "Beam against greedy",
    sentences: [
      "With beam size 1, at every step the likeliest token is taken for good; a beam keeps several beginnings and can drop one that ends badly.",
      "Raise the beam size from 1 to 5 and see whether the translation changes.",
      "Then choose a faint token, and the search goes on from there.",
    ],
    state: { text: "Are you going to smile?", view: "beam", beam: 1 },
  },
  {
    title: "What if it had looked elsewhere?",
    sentences: [
      "At the step that wrote “chat”, every piece now has the same weight.",
      "If attention explains the translation, the word must suffer: see how its probability falls, and how the later ones hardly move.",
      "Try the last step, where looking elsewhere changes nothing: the end does not depend on it.",
    ],
    state: { text: "Emma doesn't see the black cat anymore.", view: "whatif", at: 6, look: "6:uniform" },
  },
  {
    title: "Hard against soft",
    sentences: [
      "Soft attention spreads its weight, and so has a gradient everywhere.",
      "Hard attention puts all of it on one piece at every step: one line for each word.",
      "Compare steps where the soft one is undecided.",
    ],
    state: { text: "Your father is bringing the tea to the king." },
    needs: alignment("Hard"),
    get: `python train.py model=hard, ${HOW}`,
  },
  {
    title: "Local windows",
    sentences: [
      "Luong's local-p first predicts a place p in the source, and then looks only at a window around it; all lines of a step come from neighbouring pieces.",
      "Its weights need not sum to 1: the Gaussian weakens what is far from p.",
      "Unfold a weight to see what softmax alone would have given.",
    ],
    state: { text: "She has a red car.", at: 5 },
    needs: alignment("LocalP"),
    alone: true,
    get: `python train.py model=local_p, ${HOW}`,
  },
  {
    title: "What no attention forgets",
    sentences: [
      "Without attention, one vector must hold the whole sentence.",
      "A short sentence still fits; of a long one the model keeps the outline and puts other verbs and objects in it, while its French stays fluent.",
      "This is the problem that Bahdanau, Cho and Bengio set out to solve.",
    ],
    state: { text: "Tom's brother thinks that the teacher will give the books to his sister tomorrow." },
    needs: (formulas) => Boolean(formulas.wiring) && !formulas.alignment,
    get: `python train.py model=seq2seq, ${HOW}`,
  },
];
