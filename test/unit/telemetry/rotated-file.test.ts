import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { RotatedFile } from '../../../src/telemetry/rotated-file.ts'
import { eventually } from '../../support/eventually.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-access-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
function newPath(): string {
  count += 1
  return join(folder, `deep/${count}/access.log`)
}

function openFile(
  path: string,
  options: { bytesMax?: number; filesMax?: number; waitingBytesMax?: number } = {},
) {
  const { bytesMax = 1_000_000, filesMax = 3, waitingBytesMax = 1_000_000 } = options
  const dropped: [number, string][] = []
  const file = new RotatedFile({
    path,
    bytesMax,
    filesMax,
    nowMs: Date.now,
    onDropped: (lines, why) => dropped.push([lines, String(why)]),
    limits: { delayMs: 1, waitingBytesMax },
  })
  return { file, dropped }
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}

/** Writes one line, and waits until the file has it. */
async function addSeen(file: RotatedFile, path: string, line: string): Promise<void> {
  file.add(`${line}\n`)
  await eventually(`the file has ${line}`, () => linesOf(path).includes(line))
}

describe('a rotated file', () => {
  test('has the lines in order, also those that were added just before the end', async () => {
    const path = newPath()
    const { file, dropped } = openFile(path)
    for (const line of ['one', 'two', 'three']) file.add(`${line}\n`)
    await file.end()
    expect(linesOf(path)).toEqual(['one', 'two', 'three'])
    expect(dropped).toEqual([])
  })

  test('is renamed when it is full, and only so many old files are kept', async () => {
    const path = newPath()
    const { file, dropped } = openFile(path, { bytesMax: 10, filesMax: 2 })
    for (const line of ['first-line', 'second-line', 'third-line', 'fourth-line'])
      await addSeen(file, path, line)
    await file.end()
    expect(linesOf(path)).toEqual(['fourth-line'])
    expect(linesOf(`${path}.1`)).toEqual(['third-line'])
    expect(linesOf(`${path}.2`)).toEqual(['second-line'])
    expect(existsSync(`${path}.3`)).toBe(false)
    expect(existsSync(`${path}.rotating`)).toBe(false)
    expect(dropped).toEqual([])
  })

  test('is opened again when another program has renamed or deleted it', async () => {
    const path = newPath()
    const { file } = openFile(path)
    await addSeen(file, path, 'before')
    renameSync(path, `${path}-20260101`)
    await addSeen(file, path, 'after')
    rmSync(path)
    await addSeen(file, path, 'again')
    await file.end()
    expect(linesOf(`${path}-20260101`)).toEqual(['before'])
    expect(linesOf(path)).toEqual(['again'])
  })

  test('is shared by several processes without a lost or mixed line', async () => {
    const path = newPath()
    const writers = [1, 2, 3].map(() => openFile(path, { bytesMax: 2_000, filesMax: 1_000 }))
    const wanted: string[] = []
    for (let round = 0; round < 200; round += 1) {
      for (const [at, { file }] of writers.entries()) {
        const line = `writer ${at} line ${round} ${'x'.repeat(30)}`
        wanted.push(line)
        file.add(`${line}\n`)
      }
      if (round % 10 === 0) await setImmediate()
    }
    for (const { file } of writers) await file.end()
    const found: string[] = linesOf(path)
    for (let at = 1; existsSync(`${path}.${at}`); at += 1) found.push(...linesOf(`${path}.${at}`))
    expect(found.toSorted()).toEqual(wanted.toSorted())
    expect(writers.flatMap(({ dropped }) => dropped)).toEqual([])
  })

  test('is not renamed while another process renames it, but later if that process died', async () => {
    const path = newPath()
    const { file } = openFile(path, { bytesMax: 5, filesMax: 2 })
    await addSeen(file, path, 'a long line')
    writeFileSync(`${path}.rotating`, '')
    await addSeen(file, path, 'second')
    expect(linesOf(path)).toEqual(['a long line', 'second'])
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(`${path}.rotating`, longAgo, longAgo)
    // This batch removes the mark, and the next one renames.
    await addSeen(file, path, 'third')
    await addSeen(file, path, 'fourth')
    await file.end()
    expect(linesOf(path)).toEqual(['fourth'])
  })

  test('drops and counts lines that cannot be written, and works again afterwards', async () => {
    const path = newPath()
    mkdirSync(path, { recursive: true })
    const { file, dropped } = openFile(path)
    file.add('lost\n')
    await eventually('a line is dropped', () => dropped.length > 0)
    expect(dropped[0]?.[0]).toBe(1)
    expect(dropped[0]?.[1]).toMatch(/EISDIR|directory/i)
    rmSync(path, { recursive: true })
    await addSeen(file, path, 'kept')
    await file.end()
    expect(linesOf(path)).toEqual(['kept'])
  })

  test.each([
    ['after whole lines', 'one\ntwo\n{"half', ['one', 'two']],
    ['alone', '{"half', []],
    ['longer than a block', `one\n${'x'.repeat(100_000)}`, ['one']],
    ['longer than every line', `one\n${'x'.repeat(2_000_000)}`, undefined],
  ])(
    'half a line that a full disk or a dead process left is removed: %s',
    async (_, text, kept) => {
      const path = newPath()
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      const { file, dropped } = openFile(path, { bytesMax: 10_000_000 })
      await addSeen(file, path, 'next')
      await file.end()
      const lines = linesOf(path)
      expect(lines.at(-1)).toBe('next')
      // A file that is not an access log stays unchanged.
      expect(lines.slice(0, -1)).toEqual(kept ?? text.split('\n'))
      expect(existsSync(`${path}.rotating`)).toBe(false)
      expect(dropped).toEqual([])
    },
  )

  test('a partial line is left to the process that is already removing it', async () => {
    const path = newPath()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'one\n{"half')
    writeFileSync(`${path}.rotating`, '')
    const { file, dropped } = openFile(path)
    file.add('next\n')
    await eventually('it has been given up', () => dropped.length > 0)
    expect(readFileSync(path, 'utf8')).toBe('one\n{"half')
    rmSync(`${path}.rotating`)
    await addSeen(file, path, 'later')
    await file.end()
    expect(linesOf(path)).toEqual(['one', 'later'])
    expect(dropped.map(([lines]) => lines)).toEqual([1])
  })

  test('has a limit for waiting lines, and accepts none after its end', async () => {
    const path = newPath()
    const { file, dropped } = openFile(path, { waitingBytesMax: 20 })
    for (const line of ['123456789', '123456789', 'too much']) file.add(`${line}\n`)
    expect(dropped).toEqual([[1, 'the disk is too slow']])
    await file.end()
    file.add('late\n')
    expect(dropped.length).toBe(2)
    expect(linesOf(path)).toEqual(['123456789', '123456789'])
  })
})
