/** Told apart in light and dark and by most people who see colours differently; the last is for all the rest. */
const seriesColors = [
  'petrol.6',
  'orange.6',
  'violet.5',
  'lime.7',
  'pink.6',
  'blue.6',
  'yellow.6',
  'red.6',
  'gray.5',
] as const

export function seriesColor(id: string, index: number): string {
  if (id === '*' || id === '') return 'gray.5'
  return seriesColors[index % (seriesColors.length - 1)] ?? 'gray.5'
}
