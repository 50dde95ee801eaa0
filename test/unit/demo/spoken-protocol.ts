/** The content of a test request, independent of the protocol. */
export interface Ask {
  readonly prompt: string
  readonly offersTools?: boolean
  readonly forcedTool?: string
  readonly toolResult?: string
  readonly isStructured?: boolean
  readonly reasons?: boolean
  readonly outputTokensMax?: number
}

/** The content of the answer, independent of the protocol. */
export interface Told {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: unknown; readonly arguments: unknown }[]
  readonly finish: unknown
  readonly usage: { readonly input: number; readonly output: number; readonly reasoning: number }
}

export interface StreamedEvent {
  readonly event: string | undefined
  readonly data: unknown
}

/** One protocol as its clients use it, written independently, so that the demo is not checked against itself. */
export interface SpokenProtocol {
  readonly name: string
  readonly path: string
  readonly streamPath: string
  ask(ask: Ask, stream: boolean): object
  readReply(reply: unknown): Told
  readEvents(events: readonly StreamedEvent[]): Told
  /** Each event by a short name, with repeats joined: the order that the protocol prescribes. */
  outline(events: readonly StreamedEvent[]): readonly string[]
  readonly finishWords: { readonly stop: string; readonly length: string; readonly calls: string }
  readonly faultMessagePath: readonly string[]
}

export const weatherSchema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    place: { type: 'object', properties: { height: { type: 'number' } }, required: ['height'] },
  },
  required: ['city', 'unit', 'place'],
}

export const toolNames = ['get_weather', 'get_time'] as const

export function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Object.entries(found).find(([key]) => key === String(name))?.[1]
  }
  return found
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function joinTexts(values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string').join('')
}

export function foldRepeats(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => name !== names[index - 1])
}
