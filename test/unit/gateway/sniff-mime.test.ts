import { expect, test } from 'bun:test'
import { sniffMime } from '../../../src/gateway/forward/sniff-mime.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/gif', 'GIF89a\x01'],
  ['image/gif', 'GIF87a\x01'],
  ['image/webp', 'RIFF\x24\0\0\nWEBPVP8 '],
  ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
  ['application/pdf', '%PDF-1.7\n'],
  ['audio/mpeg', 'ID3\x04\0'],
  ['audio/mpeg', '\xff\xfb\x90\x64'],
  ['audio/mpeg', '\xff\xf3\x44'],
  ['video/mp4', '\0\0\0\x20ftypisom\0\0'],
  ['video/mp4', '\0\0\0\x18ftypmp42\0\0'],
  ['audio/mp4', '\0\0\0\x18ftypM4A \0\0'],
  ['image/heic', '\0\0\0\x18ftypheic\0\0'],
])('%s', (mime, beginning) => {
  expect(sniffMime(bytesOf(beginning))).toBe(mime)
})

test.each([
  ['nothing', ''],
  ['an HTML page', '<!doctype html>'],
  ['an SVG file, which can contain scripts', '<svg xmlns="http://www.w3.org/2000/svg">'],
  ['an HTML page that mentions an image', ' GIF89a'],
  ['another RIFF file', 'RIFF\x24\0\0\0AVI LIST'],
  ['another kind of container', '\0\0\0\x18ftypavif\0\0'],
  ['raw AAC', '\xff\xf1\x50'],
  ['an executable', '\x7fELF'],
])('not %s', (_name, beginning) => {
  expect(sniffMime(bytesOf(beginning))).toBeUndefined()
})
