(* The same play as the starter kits, in OCaml. *)

open Api
open Steps

let others () = List.filter (fun p -> p <> here ()) (Array.to_list (liste_portails ()))

let take () =
  if portail_joueur (here ()) = adversaire () then ignore (neutraliser ());
  if portail_joueur (here ()) = -1 then ignore (capturer ())

let link_all () =
  let start = here () in
  if portail_joueur start = moi () then
    others ()
    |> List.stable_sort (fun p q -> compare (distance start p) (distance start q))
    |> List.iter (fun p ->
           if portail_joueur p = moi () && lier p = Ok then begin
             assert (lien_existe p start);
             assert (Array.exists (fun l -> l.joueur_l = moi () && (l.extr1 = p || l.extr2 = p)) (liste_liens ()))
           end)

let cheapest = function
  | [] -> None
  | first :: rest -> Some (List.fold_left (fun best p -> if cost p < cost best then p else best) first rest)

let rec go () =
  take ();
  link_all ();
  match cheapest (List.filter (fun p -> portail_joueur p <> moi ()) (others ())) with
  | None -> ()
  | Some goal when cost goal > points_action () -> ignore (deplacer (towards goal))
  | Some goal ->
      while points_deplacement () < distance (here ()) goal do
        ignore (utiliser_turbo ())
      done;
      ignore (deplacer goal);
      go ()

let partie_init () = afficher_position (here ())

let jouer_tour () =
  go ();
  while ajouter_bouclier () = Ok do
    ()
  done

let partie_fin () =
  print_string "the end";
  flush stdout
;;

Callback.register "ml_partie_init" partie_init;;
Callback.register "ml_jouer_tour" jouer_tour;;
Callback.register "ml_partie_fin" partie_fin
