// What the contest's glue for OCaml declares: the API as the match engine exports it.

#include <vector>

typedef enum erreur {
    OK, PA_INSUFFISANTS, AUCUN_PORTAIL, POSITION_INVALIDE, POSITION_ELOIGNEE, PORTAIL_AMI, PORTAIL_NEUTRE,
    PORTAIL_ENNEMI, LIEN_INTERSECTION, LIEN_CHAMP, LIEN_DEGENERE, LIMITE_BOUCLIERS
} erreur;

typedef struct position {
    int x;
    int y;
} position;

typedef struct lien {
    position extr1;
    position extr2;
    int joueur_l;
} lien;

extern "C" erreur api_deplacer(position dest);
extern "C" erreur api_utiliser_turbo();
extern "C" erreur api_capturer();
extern "C" erreur api_lier(position portail);
extern "C" erreur api_neutraliser();
extern "C" erreur api_ajouter_bouclier();
extern "C" std::vector<position> api_liste_portails();
extern "C" std::vector<lien> api_liste_liens();
extern "C" int api_portail_joueur(position portail);
extern "C" int api_portail_boucliers(position portail);
extern "C" bool api_lien_existe(position ext1, position ext2);
extern "C" int api_distance(position pos1, position pos2);
extern "C" int api_moi();
extern "C" int api_adversaire();
extern "C" position api_position_agent(int id_joueur);
extern "C" int api_points_action();
extern "C" int api_points_deplacement();
extern "C" void api_afficher_position(position v);

extern "C" void partie_init();
extern "C" void jouer_tour();
extern "C" void partie_fin();
