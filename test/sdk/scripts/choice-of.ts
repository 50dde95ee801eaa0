import type { ToolChoice } from './answer.ts'

const words: Readonly<Record<string, ToolChoice>> = {
  required: 'must',
  any: 'must',
  ANY: 'must',
  none: 'never',
  NONE: 'never',
  auto: 'auto',
  AUTO: 'auto',
  get_weather: 'get_weather',
}

/** Each protocol's word for the choice; without one the model decides. */
export function choiceOf(word: unknown): ToolChoice {
  if (word === undefined) return 'auto'
  const choice = typeof word === 'string' ? words[word] : undefined
  if (!choice) throw new Error(`no protocol has a tool choice ${JSON.stringify(word)}`)
  return choice
}
