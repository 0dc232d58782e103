"""A small host for Portals champions, written out as sources: it turns the API of 2015 into the text protocol.

With it the conversation of Portals can be held with a champion, too. Agon's own host does the same without a pipe.
"""

# The whole API: what a function returns, its name, what it takes. Actions return an `erreur`.
FUNCTIONS = [tuple(line.split()) for line in """\
erreur deplacer position
erreur utiliser_turbo
erreur capturer
erreur lier position
erreur neutraliser
erreur ajouter_bouclier
lien_array liste_liens
champ_array liste_champs
position_array liste_portails
lien_array liens_bloquants position position
bool lien_existe position position
bool champ_existe position position position
bool case_dans_champ position
champ_array case_champs position
int portail_joueur position
int portail_boucliers position
lien_array liens_incidents_portail position
champ_array champs_incidents_portail position
champ_array champs_incidents_segment position position
position_array hist_portails_captures
position_array hist_portails_neutralises
lien_array hist_liens_crees
champ_array hist_champs_crees
position_array hist_boucliers_ajoutes
int distance position position
int score_triangle position position position
bool intersection_segments position position position position
bool point_dans_triangle position position position position
int moi
int adversaire
position position_agent int
int points_action
int points_deplacement
int score int
int tour_actuel
bool annuler""".splitlines()]

CONSTANTS = {
    "TAILLE_TERRAIN": 30, "NB_TOURS": 100, "NB_POINTS_DEPLACEMENT": 6, "NB_POINTS_ACTION": 42, "COUT_CAPTURE": 3,
    "COUT_LIEN": 2, "COUT_NEUTRALISATION": 10, "COUT_NEUTRALISATION_BOUCLIER": 5, "COUT_BOUCLIER": 3, "COUT_TURBO": 6,
    "MAX_BOUCLIERS": 6, "POINTS_CAPTURE": 10, "POINTS_CREATION_PORTAIL": 10, "POINTS_CHAMP": 2,
}
ERRORS = ["OK", "PA_INSUFFISANTS", "AUCUN_PORTAIL", "POSITION_INVALIDE", "POSITION_ELOIGNEE", "PORTAIL_AMI",
          "PORTAIL_NEUTRE", "PORTAIL_ENNEMI", "LIEN_INTERSECTION", "LIEN_CHAMP", "LIEN_DEGENERE", "LIMITE_BOUCLIERS"]
SIZES = {"position": 2, "lien": 5, "champ": 7}  # how many numbers stand for one of them

TYPES = """\
typedef enum erreur { %s } erreur;
typedef struct position { int x; int y; } position;
typedef struct lien { position extr1; position extr2; int joueur_l; } lien;
typedef struct champ { position som1; position som2; position som3; int joueur_c; } champ;
""" % ", ".join(ERRORS)

ASK = """\
static int numbers[1 << 16];
/* Sends a line and reads the numbers of its answer: those after the `=` of a question or the `result` of an action. */
static void ask(const char *line, int count, const int *arguments) {
    static char answer[1 << 20];
    int n = 0;
    fputs(line, stdout);
    for (int i = 0; i < count; i++) printf(" %d", arguments[i]);
    puts("");
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin)) exit(0);
    for (char *word = strtok(answer, " \\n"); word; word = strtok(NULL, " \\n"))
        if (n < (1 << 16) && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'))) numbers[n++] = atoi(word);
}
"""

MAIN = """\
int main(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        const int init = strcmp(line, "init\\n") == 0;
        if (!init && strcmp(line, "go\\n") != 0) continue;
        if (init) partie_init(); else jouer_tour();
        puts(init ? "ready" : "end");
        fflush(stdout);
    }
    partie_fin();
    return 0;
}
"""


def host(kit):
    """What one of the champion kits is compiled or run with: {file name: text}."""
    if kit == "champion-python":
        return {"api.py": PYTHON_API, "host.py": PYTHON_HOST}
    cpp = kit == "champion-cpp"
    header, source = ("prologin.hh", "host.cc") if cpp else ("prologin.h", "host.c")
    return {header: c_header(cpp), source: c_host(cpp, header)}


def c_type(returned, cpp):
    """A type of the API in C or C++."""
    item = returned.removesuffix("_array")
    return f"std::vector<{item}>" if cpp and item != returned else returned


def c_signature(returned, name, arguments, cpp):
    takes = ", ".join(f"{kind} a{n}" for n, kind in enumerate(arguments)) or ("" if cpp else "void")
    return f"{c_type(returned, cpp)} {name}({takes})"


def c_header(cpp):
    lines = ["#pragma once", "#include <vector>" if cpp else "#include <stdbool.h>\n#include <stdlib.h>"]
    lines += [f"#define {name} {value}" for name, value in CONSTANTS.items()] + [TYPES]
    if not cpp:
        lines += [f"typedef struct {item}_array {{ {item} *datas; size_t length; }} {item}_array;" for item in SIZES]
    lines += [c_signature(returned, name, arguments, cpp) + ";" for returned, name, *arguments in FUNCTIONS]
    callbacks = [f"void {name}({'' if cpp else 'void'});" for name in ("partie_init", "jouer_tour", "partie_fin")]
    lines += [f'extern "C" {line}' if cpp else line for line in callbacks]
    return "\n".join(lines) + "\n"


def c_host(cpp, header):
    lines = [f'#include "{header}"', "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", ASK]
    for returned, name, *arguments in FUNCTIONS:
        numbers = []
        for n, kind in enumerate(arguments):
            numbers += [f"a{n}.x", f"a{n}.y"] if kind == "position" else [f"a{n}"]
        begin = name if returned == "erreur" or name == "annuler" else f"? {name}"
        body = f"""int a[] = {{ {", ".join([*numbers, "0"])} }}; ask("{begin}", {len(numbers)}, a);"""
        body += f" {c_return(returned, cpp)}"
        lines.append(f"{c_signature(returned, name, arguments, cpp)} {{ {body} return r; }}")
    return "\n".join(lines) + "\n" + MAIN


def c_return(returned, cpp):
    """Code that turns the numbers of an answer into `r`. The structures hold nothing but ints, so they can be copied."""
    item = returned.removesuffix("_array")
    if returned == "position":
        return "position r; r.x = numbers[0]; r.y = numbers[1];"
    if item == returned:
        return f"{returned} r = ({returned})numbers[0];"
    size = f"numbers[0] * sizeof({item})"
    if cpp:
        return f"{c_type(returned, cpp)} r(numbers[0]); memcpy(r.data(), numbers + 1, {size});"
    return (f"{returned} r; r.length = numbers[0]; r.datas = ({item} *)malloc({size} + 1); "
            f"memcpy(r.datas, numbers + 1, {size});")


PYTHON_API = f"""\
import enum, sys
FUNCTIONS = {FUNCTIONS!r}
SIZES = {SIZES!r}
globals().update({CONSTANTS!r})
erreur = enum.IntEnum("erreur", {ERRORS!r}, start=0)
VALUES = {{"erreur": erreur, "bool": bool, "int": int}}

def define(returned, name, arguments):
    def call(*values):
        flat = [n for v, kind in zip(values, arguments, strict=True) for n in (v if kind == "position" else [v])]
        begin = name if returned == "erreur" or name == "annuler" else "? " + name
        print(begin, *flat, file=sys.__stdout__, flush=True)
        r = [int(word) for word in sys.stdin.readline().split()[1:]]
        if returned.endswith("_array"):
            size = SIZES[returned.removesuffix("_array")]
            return [tuple(r[i:i + size]) for i in range(1, len(r), size)]
        return tuple(r) if returned == "position" else VALUES[returned](r[0])
    globals()[name] = call

for returned, name, *arguments in FUNCTIONS:
    define(returned, name, arguments)
"""

PYTHON_HOST = """\
import sys
import prologin
while line := sys.stdin.readline():
    if line in ("init\\n", "go\\n"):
        prologin.partie_init() if line == "init\\n" else prologin.jouer_tour()
        print("ready" if line == "init\\n" else "end", flush=True)
prologin.partie_fin()
"""
