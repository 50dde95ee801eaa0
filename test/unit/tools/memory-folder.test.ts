import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeMemoryFolder, removeMemoryFolder } from '../../../tools/testing/make-memory-folder.mjs'

const given = process.env['TMPDIR']
/** No process has this id. */
const deadRun = '/dev/shm/tollgate-test-run-999999999-1-left'

beforeAll(() => {
  delete process.env['TMPDIR']
})
afterAll(() => {
  if (given !== undefined) process.env['TMPDIR'] = given
})

test('a folder in memory that other accounts may enter but not list, until it is removed', async () => {
  const folder = await makeMemoryFolder()
  // This system has no such place, or too little memory.
  if (folder === undefined) return
  expect(folder).toStartWith(`/dev/shm/tollgate-test-run-${process.pid}-`)
  expect(statSync(folder).mode & 0o777).toBe(0o711)
  writeFileSync(join(folder, 'file'), 'text')
  removeMemoryFolder(folder)
  expect(existsSync(folder)).toBe(false)
})

test('what a killed run left is deleted; what a living process owns stays', async () => {
  const first = await makeMemoryFolder()
  if (first === undefined) return
  mkdirSync(join(deadRun, 'data'), { recursive: true })
  const second = await makeMemoryFolder()
  expect([existsSync(deadRun), existsSync(first)]).toEqual([false, true])
  for (const folder of [first, second ?? first]) removeMemoryFolder(folder)
})

test('a given TMPDIR is used instead', async () => {
  process.env['TMPDIR'] = '/tmp'
  const folder = await makeMemoryFolder()
  delete process.env['TMPDIR']
  expect(folder).toBeUndefined()
})
