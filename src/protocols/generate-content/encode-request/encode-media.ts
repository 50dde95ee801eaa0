import type { MediaPart } from '../../../core/neutral/model-request.ts'
import type { JsonObject } from '../../../wire/json.ts'
import type { Notes } from '../../notes.ts'

const usualMimes: Readonly<Record<MediaPart['kind'], string>> = {
  image: 'image/png',
  document: 'application/pdf',
  audio: 'audio/wav',
  video: 'video/mp4',
}

/** Media as a part of a content. */
export function encodeMedia(media: MediaPart, notes: Notes): JsonObject {
  const { source, mime } = media
  switch (source.type) {
    case 'base64':
      return { inlineData: { mimeType: mime ?? usualMimes[media.kind], data: source.data } }
    case 'url':
      return { fileData: { mimeType: mime, fileUri: source.url } }
    case 'text': {
      const title = media.title ?? media.filename
      return { text: title === undefined ? source.text : `${title}\n\n${source.text}` }
    }
    case 'file':
      if (source.protocol === 'generate-content') {
        return { fileData: { mimeType: mime, fileUri: source.id } }
      }
      return notes.refuse(
        'messages',
        'The request refers to a file that was uploaded to another vendor, and the upstream of this model cannot read it. Send the file itself.',
      )
  }
}
