import type { RequestFeature } from './request-feature.ts'
import { ask, chatUser, generateUser, pixel, responsesUser, withImage } from './request-parts.ts'

/** Features of a conversation. */
export const conversationFeatures: readonly RequestFeature[] = [
  {
    name: 'system prompt',
    bodies: {
      'chat-completions': { messages: [{ role: 'system', content: 'Be brief.' }, ask] },
      responses: { instructions: 'Be brief.' },
      messages: { system: 'Be brief.' },
      'generate-content': { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    },
  },
  {
    name: 'system message between turns',
    bodies: {
      'chat-completions': { messages: [ask, { role: 'system', content: 'Be brief.' }, ask] },
      responses: { input: [ask, { role: 'developer', content: 'Be brief.' }, ask] },
      messages: { messages: [ask, { role: 'system', content: 'Be brief.' }, ask] },
    },
  },
  {
    name: 'image, inline',
    bodies: withImage,
  },
  {
    name: 'image by URL',
    bodies: {
      'chat-completions': chatUser({
        type: 'image_url',
        image_url: { url: 'https://example.com/a.png' },
      }),
      responses: responsesUser({ type: 'input_image', image_url: 'https://example.com/a.png' }),
      messages: chatUser({
        type: 'image',
        source: { type: 'url', url: 'https://example.com/a.png' },
      }),
      'generate-content': generateUser({
        fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' },
      }),
    },
  },
  {
    name: 'image detail',
    without: withImage,
    bodies: {
      'chat-completions': chatUser({
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${pixel}`, detail: 'low' },
      }),
      responses: responsesUser({
        type: 'input_image',
        image_url: `data:image/png;base64,${pixel}`,
        detail: 'low',
      }),
    },
  },
  {
    name: 'PDF, inline',
    bodies: {
      'chat-completions': chatUser({
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      }),
      responses: responsesUser({
        type: 'input_file',
        filename: 'a.pdf',
        file_data: 'data:application/pdf;base64,JVBERi0=',
      }),
      messages: chatUser({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      }),
      'generate-content': generateUser({
        inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' },
      }),
    },
  },
  {
    name: 'text document',
    bodies: {
      messages: chatUser({
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'Grass is green.' },
      }),
    },
  },
  {
    name: 'audio',
    bodies: {
      'chat-completions': chatUser({
        type: 'input_audio',
        input_audio: { data: 'UklGRg==', format: 'wav' },
      }),
      'generate-content': generateUser({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }),
    },
  },
  {
    name: 'video',
    bodies: {
      'generate-content': generateUser({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
    },
  },
  {
    name: 'file uploaded to the vendor',
    bodies: {
      'chat-completions': chatUser({ type: 'file', file: { file_id: 'file-1' } }),
      responses: responsesUser({ type: 'input_file', file_id: 'file-1' }),
      messages: chatUser({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    },
  },
  {
    name: 'prefilled reply',
    bodies: {
      'chat-completions': { messages: [ask, { role: 'assistant', content: 'Once' }] },
      messages: { messages: [ask, { role: 'assistant', content: 'Once' }] },
      'generate-content': {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [{ text: 'Once' }] },
        ],
      },
    },
  },
]
