"""Lives through scenario.json with the WebSocket of Debian's python3-websockets and prints what it saw as JSON.

Usage: scenario.py <scenario.json> <ws address>
"""

import asyncio
import json
import sys

import websockets


def look(value, path):
    for at, key in enumerate(path):
        if key == "*":
            return [look(item, path[at + 1 :]) for item in value]
        value = value.get(key)
    return value


def field(event, path):
    return look(event["data"], path.split("."))


class Connection:
    def __init__(self, socket):
        self.socket = socket
        self.events = []
        self.seen = 0

    async def next(self, fits):
        while True:
            while self.seen < len(self.events):
                event = self.events[self.seen]
                self.seen += 1
                if fits(event):
                    return event
            self.events.append(json.loads(await self.socket.recv()))

    async def say(self, message):
        await self.socket.send(json.dumps(message))

    async def end(self):
        try:
            while True:
                self.events.append(json.loads(await self.socket.recv()))
        except websockets.ConnectionClosed:
            return self.socket.close_code


class Player:
    def __init__(self, scenario, url):
        self.chronicle = scenario["chronicle"]
        self.url = url
        self.connections = {}
        self.kept = {}
        self.observations = []

    def observe(self, *what):
        self.observations.append(what)

    def filled(self, data):
        return {
            key: self.kept[value[1:]] if isinstance(value, str) and value.startswith("$") else value
            for key, value in data.items()
        }

    async def open(self, step):
        # A history may be larger than the largest message that this library takes by default.
        connection = Connection(await websockets.connect(self.url, max_size=None))
        self.connections[step["who"]] = connection
        await connection.say({"type": "handshake", "data": step["handshake"]})
        response = await connection.next(lambda event: True)
        ready = await connection.next(lambda event: True)
        self.observe(step["who"], response["type"], *[field(response, path) for path in step["note"]])
        self.observe(step["who"], ready["type"])

    async def send(self, step):
        command = {"id": step["id"], "type": step["type"]}
        if "data" in step:
            command["data"] = self.filled(step["data"])
        await self.connections[step["who"]].say(command)

    async def wait(self, step):
        def fits(event):
            where = step.get("where", {}).items()
            return event["type"] == step["type"] and all(field(event, path) == value for path, value in where)

        event = await self.connections[step["who"]].next(fits)
        for name, path in step.get("keep", {}).items():
            self.kept[name] = field(event, path)
        seen = [field(event, path) for path in step["note"]]
        self.observe(step["who"], event["type"], *seen, event.get("commandId"))

    async def history(self, step):
        connection = self.connections[step["who"]]
        await connection.say({"id": step["id"], "type": "history.sync"})
        past = []
        while True:
            batch = await connection.next(lambda event: event.get("commandId") == step["id"])
            past += batch["data"]["events"]
            if not batch["data"]["hasMore"]:
                break
        ids = {event["id"] for event in past}
        heard = [event for event in connection.events[: connection.seen] if "seq" in event]
        gapless = [event["seq"] for event in past] == list(range(1, len(past) + 1))
        complete = all(event["id"] in ids for event in heard)
        told = sum(event["type"] in self.chronicle for event in past)
        self.observe(step["who"], "history", gapless, complete, told)

    async def tell(self, step):
        events = self.connections[step["who"]].events
        seqs = [event["seq"] for event in events if "seq" in event]
        told = [event["type"] for event in events if event["type"] in self.chronicle]
        self.observe(step["who"], "chronicle", seqs == sorted(set(seqs)), told)

    async def closed(self, step):
        self.observe(step["who"], "closed", await self.connections[step["who"]].end())

    async def play(self, steps):
        acts = {
            "open": self.open,
            "send": self.send,
            "await": self.wait,
            "history": self.history,
            "chronicle": self.tell,
            "closed": self.closed,
        }
        for step in steps:
            await asyncio.wait_for(acts[step["do"]](step), 30)
        return self.observations


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        scenario = json.load(file)
    print(json.dumps(asyncio.run(Player(scenario, sys.argv[2]).play(scenario["steps"]))))


main()
