# Grid: chats, as the contest allowed.
while True:
    if input() == ".":
        print("S hello to everybody\n.", flush=True)
