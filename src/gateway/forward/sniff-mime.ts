/** The bytes at the start of a file that show its type. */
export const sniffedBytes = 16

/** The first bytes of each file type, one character per byte. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG\r\n/, 'image/png'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^RIFF[\s\S]{4}WAVE/, 'audio/wav'],
  [/^%PDF-/, 'application/pdf'],
  [/^ID3/, 'audio/mpeg'],
  // An MP3 without tags: eleven bits of sync, any version, layer III.
  [/^\xff[\xe2\xe3\xea\xeb\xf2\xf3\xfa\xfb]/, 'audio/mpeg'],
  [/^[\s\S]{4}ftyphei[cx]/, 'image/heic'],
  [/^[\s\S]{4}ftypmif1/, 'image/heif'],
  [/^[\s\S]{4}ftypM4A/, 'audio/mp4'],
  [/^[\s\S]{4}ftyp(?:iso|mp4|avc1|M4V)/, 'video/mp4'],
]

/** The type of a file by its bytes. The type that a server declares is often wrong and may be meant to deceive. */
export function sniffMime(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, sniffedBytes))
  return beginnings.find(([beginning]) => beginning.test(head))?.[1]
}
