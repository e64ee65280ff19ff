/** Forms of a first name that one person uses, plain and in lower case: a line is one name. */
const groups = `
abigail abby gail
albert al bert bertie
alexander alex al sasha xander lex
alexandra alex sandra sasha lexi
alfred al fred alfie
alice ally
andrew andy drew
angela angie
anna ann anne annie
anthony tony
arthur art artie
barbara barb barbie babs
benjamin ben benny benji
bernard bernie
bradley brad
brian bryan
caroline carol carrie
catherine katherine kathryn kate katie cathy kathy kitty cate
charles charlie chuck chas
charlotte charlie lottie
christina tina chris chrissy christine
christopher chris kit topher
cynthia cindy
daniel dan danny
david dave davey
deborah debra deb debbie
dennis denny
donald don donnie
dorothy dot dottie dolly
douglas doug
edward ed eddie ned ted teddy
eleanor ellie nell nora
elizabeth liz lizzie beth betty eliza betsy libby elisabeth
emily em emmy
eugene gene
evelyn evie
florence flo
frances fran frannie
francis frank
franklin frank
frederick fred freddie rick
gabriel gabe
gabriella gabi gabby ella
gerald gerry jerry
gregory greg
harold hal harry
harriet hattie
helen nell nellie
henry hank harry hal
isabella isabel bella izzy
jacob jake
jacqueline jackie
james jim jimmy jamie
jane janie
janet jan
jeffrey jeff geoffrey geoff
jennifer jen jenny
jeremy jerry
jessica jess jessie
john johnny jack jon
jonathan jon jonny
joseph joe joey
josephine jo josie
joshua josh
judith judy
katherine kay
kenneth ken kenny
kimberly kim
lawrence larry laurence
leonard leo len lenny
lillian lily lil
louis lou louie
louise lou
lucas luke
lucille lucy
madeline maddie
margaret maggie meg peg peggy marge margie greta rita
maria marie mary
martha marty
martin marty
mary molly polly
matthew matt matty
melissa missy mel
michael mike mick mickey
michelle shelly
mitchell mitch
nancy nan
natalie nat
nathaniel nathan nate nat
nicholas nick nicky nico
nicole nikki
oliver ollie
olivia liv livvy
pamela pam
patricia pat patty tricia trish
patrick pat paddy
peter pete
philip phil phillip
rachel rae
raymond ray
rebecca becky becca
richard rick ricky dick rich
robert rob bob bobby robbie bert
roberta bobbie
ronald ron ronnie
russell russ
samantha sam sammy
samuel sam sammy
sandra sandy
sarah sara sally sadie
sebastian seb
sharon shari
sophia sophie sofia
stanley stan
stephanie steph
stephen steve steven stevie
susan sue susie suzanne
sylvia syl
teresa theresa terry tess tessa
theodore ted teddy theo
thomas tom tommy
timothy tim timmy
valerie val
vanessa nessa
veronica ronnie vera
victor vic
victoria vicky tori
vincent vince vinny
virginia ginny
walter walt wally
wendy wen
william will bill billy willie liam
zachary zach zack`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const formsOf = new Map<string, Set<string>>();
for (const group of groups) {
  for (const name of group) formsOf.set(name, new Set([...(formsOf.get(name) ?? []), ...group]));
}

const none: ReadonlySet<string> = new Set();

/** Other forms of a first name, itself among them; empty for a name that has none here. Plain, in lower case. */
export const otherForms = (name: string): ReadonlySet<string> => formsOf.get(name) ?? none;
