import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ErrorAnswer } from '../../src/console-api/contract.ts'
import { type ConsoleStage, openConsoleStage, readJson } from './console-stage.ts'

describe('what the console refuses', () => {
  let stage: ConsoleStage
  let cookie: string

  beforeAll(async () => {
    stage = await openConsoleStage()
    cookie = await stage.signIn('u_root')
  })
  afterAll(() => stage.close())

  test.each([
    [
      'a rule of the forms',
      ['POST', '/operate/groups', { id: 'not an id' }],
      { code: 'invalid_request', field: 'id', detail: 'id_wrong', values: {} },
      /^id must be 1 to 128 letters/,
    ],
    [
      'a field of the wrong kind',
      ['PATCH', '/operate/accounts/acme', { status: 'asleep' }],
      { field: 'status', detail: 'word_wrong', values: { words: 'active, suspended' } },
      /^status must be one of active, suspended\.$/,
    ],
    [
      'an id that is taken',
      ['POST', '/operate/accounts', { id: 'acme', name: 'Another' }],
      { code: 'conflict', field: 'id', detail: 'account_taken', values: { id: 'acme' } },
      /^There is an account "acme" already\.$/,
    ],
    [
      'what would lock the caller out',
      ['PATCH', '/operate/users/u_root', { role: 'member' }],
      { code: 'in_use', detail: 'own_role' },
      /^You cannot demote/,
    ],
    [
      'a body that is none',
      ['POST', '/operate/groups', '[]'],
      { code: 'invalid_request', detail: 'body_not_object' },
      /^The body is not a JSON object\.$/,
    ],
  ] as const)('%s is told by a code, and in words', async (_, call, error, words) => {
    const [method, path, body] = call
    const response = await stage.send(method, `/console/api${path}`, { cookie, body })
    const answer = await readJson<ErrorAnswer>(response)
    expect(answer.error).toMatchObject(error)
    expect(answer.error.message).toMatch(words)
    expect(answer.error).not.toHaveProperty('headers')
  })
})
