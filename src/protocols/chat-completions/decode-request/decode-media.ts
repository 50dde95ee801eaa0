import type { MediaPart, MediaSource } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { wrongType } from '../../../wire/read-field.ts'
import { base64Source, sourceOfUrl } from '../../media-source.ts'
import { readObject, readText, requireObject, requireText } from '../values/read-field.ts'

const protocol = 'chat-completions'

/** An image, audio, a file or a video in a message; undefined for a part of another kind. */
export function decodeMedia(part: JsonObject, path: string): MediaPart | undefined {
  switch (part['type']) {
    case 'image_url':
      return decodeAddressed(part, 'image_url', 'image', path)
    case 'video_url':
      return decodeAddressed(part, 'video_url', 'video', path)
    case 'document_url':
    case 'file_url':
      return decodeAddressed(part, part['type'], 'document', path)
    case 'audio_url':
      return decodeAddressed(part, 'audio_url', 'audio', path)
    case 'input_audio':
      return decodeAudio(part, path)
    case 'file':
      return decodeFile(part, path)
    default:
      return undefined
  }
}

/** The protocol defines an object with the URL; some clients send the bare string. */
function decodeAddressed(
  part: JsonObject,
  name: string,
  kind: MediaPart['kind'],
  path: string,
): MediaPart {
  const bare = part[name]
  const object = typeof bare === 'string' ? { url: bare } : requireObject(part, name, path)
  const url = requireText(object, 'url', `${path}${name}.`)
  const detail = readText(object, 'detail', `${path}${name}.`)
  const filename =
    kind === 'document'
      ? (readText(part, 'document_name', path) ?? readText(object, 'filename', path))
      : undefined
  return {
    type: 'media',
    kind,
    ...sourceOfUrl(url),
    ...(detail === undefined ? {} : { detail }),
    ...(filename === undefined ? {} : { filename }),
  }
}

function decodeAudio(part: JsonObject, path: string): MediaPart {
  const inner = `${path}input_audio.`
  const audio = requireObject(part, 'input_audio', path)
  const format = requireText(audio, 'format', inner)
  return {
    type: 'media',
    kind: 'audio',
    mime: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`,
    source: base64Source(requireText(audio, 'data', inner)),
  }
}

function decodeFile(part: JsonObject, path: string): MediaPart {
  const inner = `${path}file.`
  const file = readObject(part, 'file', path) ?? {}
  const filename = readText(file, 'filename', inner)
  const id = readText(file, 'file_id', inner)
  const data = readText(file, 'file_data', inner) ?? readText(file, 'file_url', inner)
  if (data !== undefined)
    return { type: 'media', kind: 'document', ...readFileData(data), filename }
  if (id === undefined) throw wrongType(`${path}file`, 'an object with file_data or file_id')
  const source: MediaSource = { type: 'file', id, protocol }
  return { type: 'media', kind: 'document', mime: undefined, source, filename }
}

/** The protocol defines a data URL. Some clients send bare base64, which is then a PDF. */
function readFileData(data: string): { mime: string | undefined; source: MediaSource } {
  if (data.startsWith('data:') || /^https?:/.test(data)) return sourceOfUrl(data)
  return { mime: 'application/pdf', source: base64Source(data) }
}
