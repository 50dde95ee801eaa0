/** Told apart in light and dark and by most people who see colours differently; none is red, which means an error. */
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
 * The colour of each name, by the name and not by its rank: a model keeps its colour when another one becomes dearer.
 * Of names that would share a colour, the later in the alphabet takes the next that is free.
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
