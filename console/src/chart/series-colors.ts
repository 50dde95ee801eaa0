/** Distinguishable in light and dark mode and with colour blindness. Red is left out because it means an error. */
const seriesColors = [
  'petrol.6',
  'orange.6',
  'violet.5',
  'lime.7',
  'pink.6',
  'blue.6',
  'yellow.6',
  'cyan.4',
] as const
const restColor = 'gray.5'

/**
 * The colour depends on the name, not on the rank: a model keeps its colour when another model becomes more expensive.
 * If two names share a colour, the later one in the alphabet takes the next free colour.
 */
export function seriesColorsOf(ids: readonly string[]): ReadonlyMap<string, string> {
  const named = ids.filter((id) => id !== '*' && id !== '').sort()
  const taken = new Set<number>()
  const colors = new Map(ids.map((id) => [id, restColor as string]))
  for (const id of named) {
    const first = hashOf(id) % seriesColors.length
    const places = seriesColors.map((_, step) => (first + step) % seriesColors.length)
    const place = places.find((each) => !taken.has(each)) ?? first
    taken.add(place)
    colors.set(id, seriesColors[place] ?? restColor)
  }
  return colors
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  }
  return hash >>> 0
}
