import { Fault } from '../../../core/fault.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { decodeExtraFacts } from '../../measure/feature-requests.ts'
import type { JsonBody, PathFacts, RequestFacts } from '../../request-facts.ts'
import { answersMax } from '../values/answers-max.ts'
import { fieldOf, listOrSingle, readWhole } from '../values/read-field.ts'
import { requestFeatures } from './decode-features.ts'

export function decodeFacts({ value }: JsonBody, path: PathFacts): RequestFacts {
  const model = requireModel(path)
  checkContents(value)
  checkObject(value, 'systemInstruction', ['string'])
  const config = checkObject(value, 'generationConfig') ?? {}
  const answers = readWhole(config, 'candidateCount', 'generationConfig') ?? 1
  if (answers > answersMax) {
    throw wrongType('generationConfig.candidateCount', `between 1 and ${answersMax}`)
  }
  return {
    model,
    isStream: path.isStream ?? false,
    outputTokensMax: readWhole(config, 'maxOutputTokens', 'generationConfig'),
    answers: Math.max(1, answers),
    wantsStreamUsage: true,
    framing: path.framing,
    ...decodeExtraFacts(value, requestFeatures),
  }
}

/**
 * Checks the fields that every request must have, also a count of tokens. `path` is that of the object that
 * contains them.
 */
export function checkContents(value: JsonObject, path: string = ''): void {
  const contents = fieldOf(value, 'contents')
  const list = listOrSingle(contents)
  if (list.length === 0 || contents === '') {
    throw new Fault(
      'invalid_request',
      'The field "contents" is required: a list of at least one content, each with a role and parts.',
      { param: `${path}contents` },
    )
  }
  for (let index = 0; index < list.length; index += 1) {
    checkContent(list[index], () => `${path}contents[${index}]`)
  }
}

export function requireModel({ model }: PathFacts): string {
  if (model === undefined || model === '') {
    throw new Fault(
      'invalid_request',
      'The path must name a model: /v1beta/models/{model}:generateContent.',
      { param: 'model' },
    )
  }
  return model
}

function checkContent(content: unknown, path: () => string): void {
  if (typeof content === 'string') return
  if (!isObject(content)) throw wrongType(path(), 'an object with a role and parts')
  const role = content['role'] ?? undefined
  if (role !== undefined && typeof role !== 'string') throw wrongType(`${path()}.role`, 'a string')
  listOrSingle(content['parts']).forEach((part, index) => {
    if (typeof part === 'string') return
    if (!isObject(part)) throw wrongType(`${path()}.parts[${index}]`, 'an object')
    const text = part['text'] ?? undefined
    if (text !== undefined && typeof text !== 'string') {
      throw wrongType(`${path()}.parts[${index}].text`, 'a string')
    }
  })
}

function checkObject(
  value: JsonObject,
  name: string,
  others: readonly string[] = [],
): JsonObject | undefined {
  const field = fieldOf(value, name)
  if (field === undefined || others.includes(typeof field)) return undefined
  if (!isObject(field)) throw wrongType(name, 'an object')
  return field
}
