# Planet Wars: keeps a database in a folder that is not there.
import sqlite3
database = sqlite3.connect("nowhere/games.db")
