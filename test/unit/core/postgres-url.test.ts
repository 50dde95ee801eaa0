import { expect, test } from 'bun:test'
import { splitPostgresUrl } from '../../../src/core/network/postgres-url.ts'

const divided: [string, string[]][] = [
  ['postgres://db/name', ['postgres://db/name']],
  ['postgresql://u:p@db:5433/name', ['postgresql://u:p@db:5433/name']],
  [
    'postgres://u:p@one:5432,two:5433/name',
    ['postgres://u:p@one:5432/name', 'postgres://u:p@two:5433/name'],
  ],
  ['postgres://one,two/name', ['postgres://one/name', 'postgres://two/name']],
  [
    'postgres://u:a,b@[::1]:1,two:2/name?sslmode=require&target_session_attrs=read-write',
    [
      'postgres://u:a,b@[::1]:1/name?sslmode=require',
      'postgres://u:a,b@two:2/name?sslmode=require',
    ],
  ],
  ['postgres://one/name?target_session_attrs=primary', ['postgres://one/name']],
  ['postgres:///name?host=/run/socket', ['postgres:///name?host=/run/socket']],
]

const refused = [
  'sqlite://file.db',
  'mysql://db/name',
  'postgres://one:x/name',
  'postgres://one:1,two:x/name',
  'postgres://one,/name',
  'postgres://one,,two/name',
  'postgres://one,two/name?target_session_attrs=any',
  'postgres://one,two/name?target_session_attrs=standby',
  'postgres://one/name#part',
]

test.each(divided)('%s is divided into its hosts', (text, urls) => {
  expect(splitPostgresUrl(text)).toEqual(urls)
})

test.each(refused)('%s is refused', (text) => {
  expect(splitPostgresUrl(text)).toBeUndefined()
})
