import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProtocolName, type ProtocolName } from '../../../src/core/protocol-name.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { dig, digList, digNumber, digText } from '../dig.ts'
import type { Conversation, RecordedReply, Recording } from './recording.ts'
import { recordingsFolder } from './shared-folder.ts'

/** Every recording of the index. */
export function readRecordings(): readonly Recording[] {
  const lines = readFileSync(join(recordingsFolder, 'INDEX.tsv'), 'utf8').trimEnd().split('\n')
  return lines.slice(1).map(readRecording)
}

export function readConversations(recordings: readonly Recording[]): readonly Conversation[] {
  const byName = new Map(recordings.map((recording) => [recording.name, recording]))
  const list = parseJson(readFileSync(join(recordingsFolder, 'conversations.json'), 'utf8'))
  return digList(list).map((entry) => ({
    source: digText(entry, 'source'),
    recordings: digList(entry, 'files').flatMap((file) => {
      const recording = byName.get(nameOf(String(file)))
      return recording ? [recording] : []
    }),
  }))
}

function readRecording(line: string): Recording {
  const [file = '', , vendor = '', model = '', , , , features = ''] = line.split('\t')
  const value = parseJson(readFileSync(join(recordingsFolder, file), 'utf8'))
  const protocol = file.slice(0, file.indexOf('/'))
  if (!isProtocolName(protocol)) throw new Error(`${file}: not in a protocol's folder`)
  const modelId = model === 'None' || model === '' ? 'unknown-model' : model
  const isMarkedCut = features.split(' ').includes('truncated-recording')
  return {
    name: nameOf(file),
    protocol,
    vendor,
    model: modelId,
    isStreamAsked: dig(value, 'response', 'stream') === true,
    requestText: readRequest(dig(value, 'request', 'body'), protocol, modelId),
    status: digNumber(value, 'response', 'status'),
    reply: readReply(value),
    isComplete: dig(value, 'complete') !== false && !isMarkedCut,
  }
}

/** Some vendors name the model in the path; our clients name it in the body, but for one protocol. */
function readRequest(body: unknown, protocol: ProtocolName, model: string): string | undefined {
  if (!isObject(body)) return undefined
  const isNamed = protocol === 'generate-content' || body['model'] !== undefined
  return JSON.stringify(isNamed ? body : { model, ...body })
}

function readReply(value: unknown): RecordedReply {
  const sse = dig(value, 'response', 'sse')
  if (typeof sse === 'string') return { form: 'stream', text: sse }
  return { form: 'whole', text: JSON.stringify(dig(value, 'response', 'body')) }
}

function nameOf(file: string): string {
  return file.replace(/\.json$/, '')
}
