val here : unit -> Api.position
val cost : Api.position -> int
val towards : Api.position -> Api.position
