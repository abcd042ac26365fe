/** Something that has bytes to send. Sending must not throw. */
export interface Sender {
  flush(): void
}

let senders: Sender[] = []

/**
 * Lets a sender send at the end of this turn of the event loop, when everything that could be read was read. A send that
 * wakes a sleeping program costs several times as much as the next one to the same program; one after the other, most of
 * them meet it awake. There is one event loop, so there is one list.
 */
export function sendAtEndOfTurn(sender: Sender): void {
  if (senders.push(sender) === 1) setImmediate(sendNow)
}

/** Everything leaves now, in its order, for who closes a connection right after. */
export function sendNow(): void {
  const due = senders
  senders = []
  for (const sender of due) sender.flush()
}
