import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, objectAt, parseJson } from '../../../src/wire/json.ts'
import { noteOnce } from '../note-once.ts'
import type { RecordedConversation, RecordedExchange } from './recorded-exchange.ts'

const shared = join(import.meta.dir, '../../../../shared')
const recordingsFolder = join(shared, 'fixtures')
export const sharedSchemasFolder = join(shared, 'protocols/schemas')

let isThere: boolean | undefined

/** Whether the larger set of recordings and the vendors' schemas exist beside the project. */
export function hasSharedRecordings(): boolean {
  isThere ??= existsSync(recordingsFolder) && existsSync(sharedSchemasFolder)
  if (!isThere) {
    noteOnce('the larger set of recorded exchanges is not present; tests use test/exchanges only.')
  }
  return isThere
}

export function readSharedRecordings(): readonly RecordedExchange[] {
  if (!hasSharedRecordings()) return []
  const lines = readFileSync(join(recordingsFolder, 'INDEX.tsv'), 'utf8').trimEnd().split('\n')
  return lines.slice(1).map(readRecording)
}

export function readSharedConversations(): readonly RecordedConversation[] {
  if (!hasSharedRecordings()) return []
  const list = parseJson(readFileSync(join(recordingsFolder, 'conversations.json'), 'utf8'))
  if (!Array.isArray(list)) return []
  return list.filter(isObject).map(({ source, files }) => ({
    source: String(source),
    names: Array.isArray(files) ? files.map((file) => nameOf(String(file))) : [],
  }))
}

function readRecording(line: string): RecordedExchange {
  const [file = '', , vendor = '', model = '', , , , features = ''] = line.split('\t')
  const value = parseJson(readFileSync(join(recordingsFolder, file), 'utf8'))
  const protocol = file.slice(0, file.indexOf('/'))
  if (!isProtocolName(protocol)) throw new Error(`${file}: not in a protocol's folder`)
  if (!isObject(value)) throw new Error(`${file}: not a recording`)
  const { sse, body, stream, status } = objectAt(value, 'response') ?? {}
  const isMarkedCut = features.split(' ').includes('truncated-recording')
  return {
    name: nameOf(file),
    isOwn: false,
    protocol,
    vendor,
    model: model === 'None' || model === '' ? 'unknown-model' : model,
    request: objectAt(objectAt(value, 'request') ?? {}, 'body'),
    status: typeof status === 'number' ? status : 0,
    isStreamAsked: stream === true,
    sse: typeof sse === 'string' ? sse : undefined,
    body,
    isComplete: value['complete'] !== false && !isMarkedCut,
  }
}

function nameOf(file: string): string {
  return file.replace(/\.json$/, '')
}
