import { expect, test } from 'bun:test'
import type { keyOperations } from '../../../src/console-api/contract/operations/key-operations.ts'
import type { Operations } from '../../../src/console-api/contract/operations/operations.ts'
import { keyHandlers } from '../../../src/console-api/routes/key-routes.ts'
import type { CallOf, Handlers } from '../../../src/console-api/routes/route.ts'

/** Never run: only the compiler checks them. */
test('the compiler rejects handlers that do not match their operation', () => {
  const { 'GET /keys': _, ...lacking } = keyHandlers
  type KeyHandlers = Handlers<typeof keyOperations>
  type Rotate = KeyHandlers['POST /keys/{id}/rotate']
  type Erased = Awaited<ReturnType<Erase>>
  type Erase = Handlers<Operations>['POST /accounts/{id}/recordings/erase']
  const wrong = () => [
    // @ts-expect-error a handler is missing
    (): KeyHandlers => lacking,
    // @ts-expect-error no such path
    (): KeyHandlers => ({ ...keyHandlers, 'GET /kyes': keyHandlers['GET /keys'] }),
    // @ts-expect-error another method
    (): KeyHandlers => ({ ...keyHandlers, 'PUT /keys': keyHandlers['POST /keys'] }),
    // @ts-expect-error the handler of another operation, with another body
    (): Erase => keyHandlers['POST /keys'],
    // @ts-expect-error no such member of the body
    async (call: CallOf<'POST /sign-in'>) => (await call.body()).login,
    // @ts-expect-error this operation has no body
    async (call: CallOf<'POST /sign-out'>) => (await call.body()).email,
    // @ts-expect-error no such parameter
    (call: CallOf<'GET /keys'>) => call.query.models,
    // @ts-expect-error a parsed time is a number
    (call: CallOf<'GET /usage'>): string | undefined => call.query.from,
    // @ts-expect-error nobody need be signed in
    (call: CallOf<'POST /sign-in'>) => call.session.user,
    // @ts-expect-error the answer lacks the number of recordings
    (): Erase => async () => ({ body: {} }),
    // @ts-expect-error no such member of the answer
    (): Erased => ({ body: { erased: 1, kept: 2 } }),
    // @ts-expect-error a member of the answer has another type
    (): Erase => async () => ({ body: { erased: '1' } }),
    // @ts-expect-error the answer is JSON, not a file
    (): Rotate => async () => ({ response: new Response('') }),
    // @ts-expect-error the answer is a file, not JSON
    (): Handlers<Operations>['GET /usage/export'] => async () => ({ body: {} }),
  ]
  expect(wrong).toBeFunction()
})
