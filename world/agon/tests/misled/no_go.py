# Planet Wars: gives an order, but never ends the turn.
while True:
    if input() == "go":
        print("1 2 1", flush=True)
