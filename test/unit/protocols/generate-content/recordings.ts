import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type JsonObject, objectAt, parseJson } from '../../../../src/wire/json.ts'
import { missingPart } from '../../../support/missing-part.ts'

const folder = join(import.meta.dir, '../../../../../shared/fixtures/generate-content')

/** A recorded exchange, as far as it was recorded. */
export interface Recording {
  readonly name: string
  readonly status: number
  readonly request: JsonObject | undefined
  /** The body of a whole reply or of an error, as text. */
  readonly body: string | undefined
  readonly stream: string | undefined
}

export const hasRecordings = existsSync(folder)

export function readRecordings(): Recording[] {
  if (!hasRecordings) {
    missingPart('recorded generate-content exchanges', 'the folder of recordings is not there')
    return []
  }
  return readdirSync(folder).flatMap((name): Recording[] => {
    const recording = parseJson(readFileSync(join(folder, name), 'utf8'))
    const response = isObject(recording) ? objectAt(recording, 'response') : undefined
    if (!isObject(recording) || !response) return []
    const { sse, body, status } = response
    return [
      {
        name,
        status: typeof status === 'number' ? status : 0,
        request: objectAt(objectAt(recording, 'request') ?? {}, 'body'),
        body: body === undefined || body === null ? undefined : JSON.stringify(body),
        stream: typeof sse === 'string' ? sse : undefined,
      },
    ]
  })
}
