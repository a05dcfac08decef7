"""What Python programs do all day, for the benchmark of allocators: JSON, regular expressions,
dictionaries, lists, strings, objects. Prints ok where everything came out right."""

import json
import re
import sys
from collections import Counter


class Person:
    """An object with a dictionary of its own."""

    def __init__(self, number: int) -> None:
        self.name = f"person {number}"
        self.tags = [f"tag{number % 7}", f"tag{number % 11}"]
        self.friends: dict[str, int] = {}


def documents(count: int) -> None:
    """Nested values to text and back."""
    rows = [
        {"id": i, "name": f"row {i}", "values": list(range(i % 9)), "inner": {"even": i % 2 == 0}}
        for i in range(count)
    ]
    text = json.dumps(rows)
    assert json.loads(text) == rows


def words(count: int) -> None:
    """Text taken apart, counted and put together."""
    text = " ".join(f"word{i * 7919 % 1009} and {i}" for i in range(count))
    found = re.findall(r"\b(\w+?)(\d+)\b", text)
    counts = Counter(word for word, _ in found)
    assert counts["word"] == count, counts
    assert len(re.sub(r"\d", "", text)) < len(text)


def people(count: int) -> None:
    """Objects that know each other, sorted and dropped."""
    everybody = [Person(i) for i in range(count)]
    for i, person in enumerate(everybody):
        for step in (1, 5, 25):
            other = everybody[(i + step) % count]
            person.friends[other.name] = step
    everybody.sort(key=lambda person: person.name[::-1])
    assert sum(len(person.friends) for person in everybody) == 3 * count


def numbers(count: int) -> None:
    """Lists that grow, and large integers."""
    table: dict[int, list[float]] = {}
    for i in range(count):
        table.setdefault(i % 997, []).append(i * 0.5)
    assert sum(len(row) for row in table.values()) == count
    product = 1
    for i in range(1, 400):
        product *= i
    assert product % 399 == 0


for _ in range(max(1, int(sys.argv[1]) * 9 // 100)):
    documents(6000)
    words(20000)
    people(5000)
    numbers(60000)
print("ok")
