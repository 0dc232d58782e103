# Planet Wars: imports a module that only its user has installed.
import only_mine
