(* The part of the API that this champion uses, declared as the contest declared it. *)

let cout_capture = 3
let cout_neutralisation = 10
let cout_neutralisation_bouclier = 5
let cout_turbo = 6

type erreur =
  | Ok
  | Pa_insuffisants
  | Aucun_portail
  | Position_invalide
  | Position_eloignee
  | Portail_ami
  | Portail_neutre
  | Portail_ennemi
  | Lien_intersection
  | Lien_champ
  | Lien_degenere
  | Limite_boucliers

type position = int * int
type lien = { extr1 : position; extr2 : position; joueur_l : int }

external deplacer : position -> erreur = "ml_deplacer"
external utiliser_turbo : unit -> erreur = "ml_utiliser_turbo"
external capturer : unit -> erreur = "ml_capturer"
external lier : position -> erreur = "ml_lier"
external neutraliser : unit -> erreur = "ml_neutraliser"
external ajouter_bouclier : unit -> erreur = "ml_ajouter_bouclier"
external liste_portails : unit -> position array = "ml_liste_portails"
external liste_liens : unit -> lien array = "ml_liste_liens"
external portail_joueur : position -> int = "ml_portail_joueur"
external portail_boucliers : position -> int = "ml_portail_boucliers"
external lien_existe : position -> position -> bool = "ml_lien_existe"
external distance : position -> position -> int = "ml_distance"
external moi : unit -> int = "ml_moi"
external adversaire : unit -> int = "ml_adversaire"
external position_agent : int -> position = "ml_position_agent"
external points_action : unit -> int = "ml_points_action"
external points_deplacement : unit -> int = "ml_points_deplacement"
external afficher_position : position -> unit = "ml_afficher_position"
