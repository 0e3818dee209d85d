"""Damage to bytes."""

import os

# Values that often matter: ends of varints, types and lengths of cells, sizes.
TELLING = [0x00, 0x01, 0x02, 0x05, 0x0A, 0x0D, 0x7F, 0x80, 0x81, 0xFE, 0xFF]
PAGE = 4096


def bytes_of(path, random):
    """Damages a file in place; says how."""
    size = path.stat().st_size
    draw = random.random()
    with open(path, "r+b") as file:
        if draw < 0.12:
            file.truncate(random.randrange(size + 1))
            how = "cut off"
        elif draw < 0.17:
            file.seek(0, os.SEEK_END)
            file.write(random.randbytes(random.choice([1, 511, PAGE, 3 * PAGE])))
            how = "something behind its end"
        elif draw < 0.27:
            overwrite(file, random, size, random.choice([16, 512, PAGE, 8 * PAGE]))
            how = "a piece overwritten"
        elif draw < 0.37:
            swap_pages(file, random, size)
            how = "two pages exchanged"
        else:
            number = random.choice([1, 1, 1, 2, 5, 30, 300])
            for _ in range(number):
                flip(file, random, size)
            how = f"{number} bytes changed"
    return how


def flip(file, random, size):
    """Changes a bit or a byte, more often at the beginning and in the headers of pages than elsewhere."""
    if not size:
        return
    draw = random.random()
    if draw < 0.2:
        at = random.randrange(min(size, 110))
    elif draw < 0.6:
        at = min(size - 1, PAGE * random.randrange(size // PAGE + 1) + random.randrange(40))
    else:
        at = random.randrange(size)
    file.seek(at)
    byte = file.read(1)[0]
    file.seek(at)
    file.write(bytes([byte ^ (1 << random.randrange(8)) if random.random() < 0.5 else random.choice(TELLING)]))


def overwrite(file, random, size, length):
    file.seek(random.randrange(max(size, 1)))
    file.write(random.choice([bytes(length), b"\xff" * length, random.randbytes(length)]))


def swap_pages(file, random, size):
    first, second = (PAGE * random.randrange(max(size // PAGE, 1)) for _ in range(2))
    pages = []
    for at in (first, second):
        file.seek(at)
        pages.append(file.read(PAGE))
    for at, page in zip((second, first), pages):
        file.seek(at)
        file.write(page)
