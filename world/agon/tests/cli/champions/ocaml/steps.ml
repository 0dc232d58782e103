(* Where the champion goes. Another module than the main one: the makefile has the order. *)

open Api

let here () = position_agent (moi ())

let cost goal =
  let far = max 0 (distance (here ()) goal - points_deplacement ()) in
  let points = cout_capture + (cout_turbo * far) in
  if portail_joueur goal = adversaire () then
    points + cout_neutralisation + (cout_neutralisation_bouclier * portail_boucliers goal)
  else points

let towards (a, b) =
  let x, y = here () in
  let clamp most n = max (-most) (min most n) in
  let left = points_deplacement () in
  let dx = clamp left (a - x) in
  (x + dx, y + clamp (left - abs dx) (b - y))
