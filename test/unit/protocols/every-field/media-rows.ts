import type { MediaPart, Part } from '../../../../src/core/neutral/model-request.ts'
import { type ProtocolName, protocolNames } from '../../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { text, turn } from '../fits/build-request.ts'
import { type Arrival, as, type RequestRow, refused } from './request-row.ts'

/** Turns of the four protocols that begin with the text `Look`, by their last part. */
const written: Readonly<Record<ProtocolName, (part: JsonObject) => JsonObject>> = {
  'chat-completions': (part) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, part] }],
  }),
  responses: (part) => ({
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Look' }, part] }],
  }),
  messages: (part) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, part] }],
  }),
  'generate-content': (part) => ({
    contents: [{ role: 'user', parts: [{ text: 'Look' }, part] }],
  }),
}

const storedFile = 'https://generativelanguage.googleapis.com/v1beta/files/a.pdf'
const fileForms: Readonly<Record<ProtocolName, JsonObject>> = {
  'chat-completions': { type: 'file', file: { file_id: 'file-1' } },
  responses: { type: 'input_file', file_id: 'file-1' },
  messages: { type: 'document', source: { type: 'file', file_id: 'file-1' } },
  'generate-content': { fileData: { fileUri: storedFile } },
}

const fileIds: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': 'file-1',
  responses: 'file-1',
  messages: 'file-1',
  'generate-content': storedFile,
}

const wav = { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }
const mp3 = { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } }

/** Uploaded files are a beta of messages; few models of responses hear. */
const beyondSchema: readonly JsonObject[] = [fileForms.messages, wav, mp3]

function look(part: Part) {
  return { turns: [turn('user', text('Look'), part)] }
}

interface MediaForms {
  /** The form of the part in each protocol; absent: refused. */
  readonly forms: Partial<Readonly<Record<ProtocolName, JsonObject>>>
  /** The part that each protocol reads from this form, where it differs. */
  readonly reads?: Partial<Readonly<Record<ProtocolName, Part>>>
}

function media(part: Part, { forms, reads = {} }: MediaForms): RequestRow {
  const arrives = (name: ProtocolName): Arrival => {
    const form = forms[name]
    if (!form) return refused
    const isBeyondSchema = beyondSchema.includes(form)
    return { ...as(written[name](form), look(reads[name] ?? part)), isBeyondSchema }
  }
  return {
    sent: look(part),
    arrives: {
      'chat-completions': arrives('chat-completions'),
      responses: arrives('responses'),
      messages: arrives('messages'),
      'generate-content': arrives('generate-content'),
    },
  }
}

const image: MediaPart = {
  type: 'media',
  kind: 'image',
  mime: 'image/png',
  source: { type: 'base64', data: 'aGk=' },
}
const imageUrl: MediaPart = {
  ...image,
  mime: undefined,
  source: { type: 'url', url: 'https://a.example/i' },
}
const document: MediaPart = {
  ...image,
  kind: 'document',
  mime: 'application/pdf',
  source: { type: 'base64', data: 'JVBERi0=' },
}
const notes = 'Notes\n\nDear diary'

export const mediaRows: readonly RequestRow[] = [
  media(image, {
    forms: {
      'chat-completions': { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      responses: {
        type: 'input_image',
        image_url: 'data:image/png;base64,aGk=',
        detail: 'auto',
      },
      messages: {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'aGk=' },
      },
      'generate-content': { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
    },
  }),
  media(imageUrl, {
    forms: {
      'chat-completions': { type: 'image_url', image_url: { url: 'https://a.example/i' } },
      responses: { type: 'input_image', image_url: 'https://a.example/i', detail: 'auto' },
      messages: { type: 'image', source: { type: 'url', url: 'https://a.example/i' } },
      'generate-content': { fileData: { fileUri: 'https://a.example/i' } },
    },
  }),
  media(
    { ...document, filename: 'a.pdf' },
    {
      forms: {
        'chat-completions': {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        },
        responses: {
          type: 'input_file',
          filename: 'a.pdf',
          file_data: 'data:application/pdf;base64,JVBERi0=',
        },
        messages: {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          title: 'a.pdf',
        },
        'generate-content': { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
      },
      reads: { messages: { ...document, title: 'a.pdf' }, 'generate-content': document },
    },
  ),
  media(
    { ...document, mime: undefined, source: { type: 'url', url: 'https://a.example/a.pdf' } },
    {
      forms: {
        responses: { type: 'input_file', file_url: 'https://a.example/a.pdf' },
        messages: { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } },
        'generate-content': { fileData: { fileUri: 'https://a.example/a.pdf' } },
      },
      reads: {
        messages: { ...document, source: { type: 'url', url: 'https://a.example/a.pdf' } },
      },
    },
  ),
  media(
    {
      ...document,
      mime: 'text/plain',
      title: 'Notes',
      source: { type: 'text', text: 'Dear diary' },
    },
    {
      forms: {
        'chat-completions': { type: 'text', text: notes },
        responses: { type: 'input_text', text: notes },
        messages: {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'Dear diary' },
          title: 'Notes',
        },
        'generate-content': { text: notes },
      },
      reads: {
        'chat-completions': text(notes),
        responses: text(notes),
        'generate-content': text(notes),
      },
    },
  ),
  // Only the vendor that holds an uploaded file can read it.
  ...protocolNames.map((protocol) =>
    media(
      { ...document, mime: undefined, source: { type: 'file', id: fileIds[protocol], protocol } },
      { forms: { [protocol]: fileForms[protocol] } },
    ),
  ),
  media(
    { ...image, mime: undefined, source: { type: 'file', id: 'file-1', protocol: 'responses' } },
    { forms: { responses: { type: 'input_image', file_id: 'file-1', detail: 'auto' } } },
  ),
  media(
    { ...image, kind: 'audio', mime: 'audio/wav' },
    {
      forms: {
        'chat-completions': wav,
        responses: wav,
        'generate-content': { inlineData: { mimeType: 'audio/wav', data: 'aGk=' } },
      },
    },
  ),
  media(
    { ...image, kind: 'audio', mime: 'audio/mpeg' },
    {
      forms: {
        'chat-completions': mp3,
        responses: mp3,
        'generate-content': { inlineData: { mimeType: 'audio/mpeg', data: 'aGk=' } },
      },
    },
  ),
  media(
    { ...image, kind: 'video', mime: 'video/mp4' },
    { forms: { 'generate-content': { inlineData: { mimeType: 'video/mp4', data: 'aGk=' } } } },
  ),
]
