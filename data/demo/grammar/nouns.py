"""Nouns and names."""

from grammar.words import noun, rows

# kinds; English (/irregular plural); French (/irregular plural, or /feminine where English hides it); gender
_TABLE = """
kin                  father               père                        m
kin                  mother               mère                        f
kin                  brother              frère                       m
kin                  sister               sœur                        f
kin young            son                  fils                        m
kin young            daughter             fille                       f
kin                  uncle                oncle                       m
kin                  aunt                 tante                       f
kin                  grandfather          grand-père/grands-pères     m
kin                  grandmother          grand-mère/grands-mères     f
kin                  cousin               cousin/cousine              mf
kin                  friend               ami/amie                    mf
kin                  neighbor             voisin/voisine              mf
kin                  boss                 patron/patronne             mf
person               man/men              homme                       m
person               woman/women          femme                       f
person young         boy                  garçon                      m
person young         girl                 fille                       f
person young         child/children       enfant                      m
person job           doctor               médecin                     m
person job           teacher              professeur                  m
person job           student              étudiant/étudiante          mf
person job           nurse                infirmier/infirmière        mf
person job           singer               chanteur/chanteuse          mf
person job           lawyer               avocat/avocate              mf
person               king                 roi                         m
person               queen                reine                       f
person               hero/heroes          héros                       m
animal               dog                  chien                       m
animal               cat                  chat                        m
animal               horse                cheval                      m
animal               bird                 oiseau                      m
animal               rabbit               lapin                       m
animal               mouse/mice           souris                      f
animal               cow                  vache                       f
food                 apple                pomme                       f
food                 orange               orange                      f
food                 banana               banane                      f
food                 egg                  œuf                         m
food                 cake                 gâteau                      m
food                 tomato/tomatoes      tomate                      f
food                 potato/potatoes      pomme de terre/pommes de terre  f
food                 sandwich             sandwich                    m
food mass            bread                pain                        m
food mass            cheese               fromage                     m
food mass            meat                 viande                      f
food mass            rice                 riz                         m
food mass            soup                 soupe                       f
food mass            chocolate            chocolat                    m
food mass            fish                 poisson                     m
drink mass           water                eau                         f
drink mass           milk                 lait                        m
drink mass           coffee               café                        m
drink mass           tea                  thé                         m
drink mass           wine                 vin                         m
drink mass           beer                 bière                       f
text                 book                 livre                       m
text                 letter               lettre                      f
text                 newspaper            journal                     m
text tale            story                histoire                    f
text                 poem                 poème                       m
text                 message              message                     m
object furniture     table                table                       f
object furniture     chair                chaise                      f
object furniture     bed                  lit                         m
object furniture     lamp                 lampe                       f
object tool          computer             ordinateur                  m
object tool small    phone                téléphone                   m
object tool small    knife/knives         couteau                     m
object tool small    map                  carte                       f
object tool small colored  umbrella             parapluie                   m
object small         key                  clé                         f
object small         watch                montre                      f
object small colored   bag                  sac                         m
object small         ring                 bague                       f
object small         ticket               billet                      m
object small         gift                 cadeau                      m
object small colored   ball                 balle                       f
object small         photo                photo                       f
object small colored   box                  boîte                       f
object dish          glass                verre                       m
object dish          cup                  tasse                       f
object dish          plate                assiette                    f
object               painting             tableau                     m
object instrument    guitar               guitare                     f
object instrument    piano                piano                       m
object instrument    violin               violon                      m
opening colored      door                 porte                       f
opening              window               fenêtre                     f
plant colored        flower               fleur                       f
plant                tree                 arbre                       m
clothing             shirt                chemise                     f
clothing             dress                robe                        f
clothing             hat                  chapeau                     m
clothing             coat                 manteau                     m
clothing             jacket               veste                       f
clothing             tie                  cravate                     f
clothing             shoe                 chaussure                   f
vehicle driven       car                  voiture                     f
vehicle driven       truck                camion                      m
vehicle colored      bike                 vélo                        m
vehicle              boat                 bateau                      m
transport            train                train                       m
transport            bus                  bus                         m
transport            plane                avion                       m
place                house                maison                      f
place room           kitchen              cuisine                     f
place room           bedroom              chambre                     f
place room           office               bureau                      m
place                garden               jardin                      m
place public         school               école                       f
place public         park                 parc                        m
place public         museum               musée                       m
place public         church               église                      f
place public         hospital             hôpital                     m
place public         hotel                hôtel                       m
place public         restaurant           restaurant                  m
place public         library              bibliothèque                f
place public         market               marché                      m
place public         store                magasin                     m
place public         city                 ville                       f
place public         village              village                     m
place public         beach                plage                       f
place public         castle               château/châteaux            m
place public         station              gare                        f
thought              idea                 idée                        f
thought              problem              problème                    m
thought              question             question                    f
thought              answer               réponse                     f
thought              lesson               leçon                       f
thought              dream                rêve                        m
thought              secret               secret                      m
thought              mistake              erreur                      f
show                 movie                film                        m
show tale            song                 chanson                     f
show                 game                 jeu                         m
money mass           money                argent                      m
"""

NOUNS = tuple(noun(*cells) for cells in rows(_TABLE, 4))

# English; French; gender
_NAMES = """
Tom     Tom     m
Mary    Marie   f
Paul    Paul    m
Alice   Alice   f
Jack    Jack    m
Emma    Emma    f
Peter   Pierre  m
Julie   Julie   f
"""

NAMES = tuple((english, french, gender) for english, french, gender in rows(_NAMES, 3))
