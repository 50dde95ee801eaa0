import { Fault } from '../../../core/fault.ts'
import { kindOfMime } from '../../../core/neutral/fold-reply.ts'
import type {
  Annotation,
  CacheMark,
  MediaPart,
  RefusalPart,
  TextPart,
} from '../../../core/neutral/model-request.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { base64Source, sourceOfUrl } from '../../media-source.ts'
import { decodeAnnotations } from '../values/annotations.ts'

export type ContentPart = TextPart | MediaPart | RefusalPart

/** The content of a message, or the output of a tool: a string or a list of parts. Empty text is dropped. */
export function decodeContent(content: unknown, path: string): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of parts')
  const parts: ContentPart[] = []
  for (const [index, value] of content.entries()) {
    const part = decodePart(value, `${path}[${index}]`)
    if (part) parts.push(part)
  }
  return parts
}

function decodePart(value: unknown, path: string): ContentPart | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { type: 'text', text: value }
  if (!isObject(value)) throw wrongType(path, 'an object')
  switch (value['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return decodeText(value, path)
    case 'refusal': {
      const text = stringAt(value, 'refusal') ?? ''
      return text === '' ? undefined : { type: 'refusal', text }
    }
    case 'input_image':
    case 'computer_screenshot':
      return decodeImage(value, path)
    case 'input_file':
    case 'file_url':
    case 'document_url':
      return decodeFile(value, path)
    case 'input_audio':
      return decodeAudio(value, path)
    default:
      throw new Fault(
        'invalid_request',
        `The part "${path}" has the type ${JSON.stringify(value['type'] ?? null)}, which the upstream of this model does not support.`,
        { param: `${path}.type` },
      )
  }
}

function decodeText(value: JsonObject, path: string): TextPart | undefined {
  const { text } = value
  if (typeof text !== 'string') throw wrongType(`${path}.text`, 'a string')
  if (text === '') return undefined
  if (value['annotations'] === undefined && value['prompt_cache_breakpoint'] === undefined)
    return { type: 'text', text }
  const annotations: readonly Annotation[] = decodeAnnotations(value['annotations'])
  return {
    type: 'text',
    text,
    ...markOf(value),
    ...(annotations.length > 0 ? { annotations } : {}),
  }
}

function decodeImage(value: JsonObject, path: string): MediaPart {
  const detail = stringAt(value, 'detail')
  const common = { ...(detail === undefined ? {} : { detail }), ...markOf(value) }
  const fileId = stringAt(value, 'file_id')
  if (fileId !== undefined) return { ...fileOf(fileId, 'image'), ...common }
  const nested = objectAt(value, 'image_url')
  const url = stringAt(value, 'image_url') ?? (nested && stringAt(nested, 'url'))
  if (url === undefined) throw wrongType(`${path}.image_url`, 'a string')
  return { type: 'media', kind: 'image', ...sourceOfUrl(url), ...common }
}

function decodeFile(value: JsonObject, path: string): MediaPart {
  const filename = stringAt(value, 'filename')
  const common = { ...(filename === undefined ? {} : { filename }), ...markOf(value) }
  const fileId = stringAt(value, 'file_id')
  if (fileId !== undefined) return { ...fileOf(fileId, 'document'), ...common }
  const nested = objectAt(value, 'file_url') ?? objectAt(value, 'document_url') ?? value
  const url = ['file_url', 'document_url', 'url']
    .map((name) => stringAt(nested, name))
    .find((each) => each !== undefined)
  if (url !== undefined) {
    return { type: 'media', kind: 'document', ...sourceOfUrl(url), ...common }
  }
  const data = stringAt(value, 'file_data')
  if (data === undefined) throw wrongType(`${path}.file_data`, 'a string')
  if (!data.startsWith('data:')) {
    const source = base64Source(data)
    return { type: 'media', kind: 'document', mime: 'application/pdf', source, ...common }
  }
  const located = sourceOfUrl(data)
  const kind = kindOfMime(located.mime ?? 'application/pdf')
  return { type: 'media', kind, ...located, ...common }
}

const audioTypes: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav' }

function decodeAudio(value: JsonObject, path: string): MediaPart {
  const audio = objectAt(value, 'input_audio') ?? value
  const data = stringAt(audio, 'data')
  if (data === undefined) throw wrongType(`${path}.input_audio.data`, 'a string')
  const format = stringAt(audio, 'format') ?? 'wav'
  const mime = audioTypes[format] ?? `audio/${format}`
  return { type: 'media', kind: 'audio', mime, source: base64Source(data) }
}

function fileOf(id: string, kind: 'image' | 'document'): MediaPart {
  const source = { type: 'file', id, protocol: 'responses' } as const
  return { type: 'media', kind, mime: undefined, source }
}

function markOf(value: JsonObject): { cacheMark?: CacheMark } {
  return isObject(value['prompt_cache_breakpoint']) ? { cacheMark: { ttl: '5m' } } : {}
}
