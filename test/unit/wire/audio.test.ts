import { describe, expect, test } from 'bun:test'
import { joinAudio } from '../../../src/wire/audio.ts'

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const base64 = (text: string) => bytesOf(text).toBase64()
const textOf = (data: string) => String.fromCharCode(...Uint8Array.fromBase64(data))

function sized(size: number): string {
  return String.fromCharCode(...new Uint8Array(Uint32Array.of(size).buffer))
}

const format = `fmt ${sized(16)}${'f'.repeat(16)}`
const wave = (samples: string, size = samples.length) =>
  `RIFF${sized(4 + format.length + 8 + samples.length)}WAVE${format}data${sized(size)}${samples}`

describe('the format of audio is detected from its bytes', () => {
  test.each([
    ['audio/wav', wave('ab')],
    ['audio/mpeg', 'ID3\x04\0'],
    ['audio/mpeg', '\xff\xfb\x90\x64'],
    ['audio/ogg', 'OggS\0\x02'],
    ['audio/flac', 'fLaC\0'],
    ['audio/aac', '\xff\xf1\x50\x80'],
    ['audio/pcm', '\x01\0\x02\0'],
    ['audio/pcm', '\xff\xff\xff\xff'],
    // Samples that look like the first bytes of a frame, with an impossible bit rate.
    ['audio/pcm', '\xff\xfb\0\0'],
    ['audio/pcm', ''],
  ])('%s, whole and in pieces', (mime, sound) => {
    expect(joinAudio([base64(sound)])).toEqual({ mime, data: base64(sound) })
    const letters = Array.from(sound, base64)
    expect(joinAudio(letters)).toEqual({ mime, data: base64(sound) })
  })
})

describe('pieces of audio are joined', () => {
  test('raw samples, each piece padded', () => {
    expect(textOf(joinAudio([base64('a'), base64('bc'), base64('def')]).data)).toBe('abcdef')
  })

  test.each([1, 2, 3, 5, 6, 7])('one text that was cut every %d characters', (step) => {
    const text = base64(`ID3${'x'.repeat(50)}`)
    const pieces = text.match(new RegExp(`.{1,${step}}`, 'g')) ?? []
    expect(joinAudio(pieces)).toEqual({ mime: 'audio/mpeg', data: text })
  })

  test('a WAVE file whose header comes first, with an unknown length', () => {
    const header = wave('', 0xffff_ffff)
    const joined = joinAudio([header, 'abcd', 'ef'].map(base64))
    expect(joined).toEqual({ mime: 'audio/wav', data: base64(`${header}abcdef`) })
  })

  test.each([
    ['unchanged', [wave('abcd'), wave('ef')]],
    ['with chunks after the samples', [`${wave('abcd')}LIST${sized(2)}xx`, wave('ef')]],
    ['with an unknown length', [wave('abcd', 0), wave('ef', 0xffff_ffff)]],
  ])('consecutive WAVE files, %s: no header among the samples', (_name, files) => {
    const { mime, data } = joinAudio(files.map(base64))
    expect(mime).toBe('audio/wav')
    expect(textOf(data)).toBe(wave('abcdef'))
  })

  test('text that is not base64 is kept', () => {
    expect(joinAudio(['AA,A', '????'])).toEqual({ mime: 'audio/pcm', data: 'AA,A????' })
  })

  test('an invalid WAVE file is kept', () => {
    const files = [`RIFF${sized(9)}WAVEfmt ${sized(0xffff_ffff)}`, wave('ab')]
    expect(textOf(joinAudio(files.map(base64)).data)).toBe(files.join(''))
  })
})
