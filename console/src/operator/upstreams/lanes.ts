/** Position in a board of lanes. Lanes are tried one after another. */
export interface LanePlace {
  readonly lane: number
  readonly index: number
}

/** Moves one card. A target beyond the last lane adds a lane. */
export function moveCard<Card>(
  lanes: readonly (readonly Card[])[],
  from: LanePlace,
  to: LanePlace,
): Card[][] {
  const next = lanes.map((lane) => [...lane])
  const [card] = next[from.lane]?.splice(from.index, 1) ?? []
  if (card === undefined) return next
  while (next.length <= to.lane) next.push([])
  next[to.lane]?.splice(to.index, 0, card)
  return next.filter((lane) => lane.length > 0)
}

/** Groups cards into lanes by priority, lowest number first. */
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

/** Flattens the lanes; the priority of each card is the index of its lane. */
export function cardsOf<Card extends { readonly priority: number }>(
  lanes: readonly (readonly Card[])[],
): Card[] {
  return lanes.flatMap((lane, priority) => lane.map((card) => ({ ...card, priority })))
}
