/** Something that stands in one of several lanes, which are asked one after another. */
export interface Place {
  readonly lane: number
  readonly index: number
}

/** The lanes with one card taken from its place and put at another. A lane beyond the last is opened. */
export function moveCard<Card>(
  lanes: readonly (readonly Card[])[],
  from: Place,
  to: Place,
): Card[][] {
  const next = lanes.map((lane) => [...lane])
  const [card] = next[from.lane]?.splice(from.index, 1) ?? []
  if (card === undefined) return next
  while (next.length <= to.lane) next.push([])
  next[to.lane]?.splice(to.index, 0, card)
  return next.filter((lane) => lane.length > 0)
}

/** Cards by their priority, the lowest number first; what shares a number shares a lane. */
export function lanesOf<Card extends { readonly priority: number }>(
  cards: readonly Card[],
): Card[][] {
  const lanes = new Map<number, Card[]>()
  for (const card of [...cards].sort((one, other) => one.priority - other.priority)) {
    const lane = lanes.get(card.priority)
    if (lane) lane.push(card)
    else lanes.set(card.priority, [card])
  }
  return [...lanes.values()]
}

/** The cards again, each with the number of its lane. */
export function cardsOf<Card extends { readonly priority: number }>(
  lanes: readonly (readonly Card[])[],
): Card[] {
  return lanes.flatMap((lane, priority) => lane.map((card) => ({ ...card, priority })))
}
