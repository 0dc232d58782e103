# Planet Wars: takes more memory than it may have.
kept = []
while input() != "go":
    pass
while True:
    kept.append(bytearray(8 << 20))
