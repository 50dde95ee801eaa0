import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { version } from '../../../package.json'
import { configFileSetting, settings } from '../../../src/config/settings.ts'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { runtimeVariables } from '../../../tools/bootstrap/runtime-variables.mjs'
import { readLockfile } from '../../../tools/package/lockfile.mjs'
import { targets } from '../../../tools/package/targets.mjs'

const root = join(import.meta.dirname, '..', '..', '..')
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const dockerfile = read('container/Dockerfile')
const unit = read('systemd/tollgate.service')
const compose = read('compose/compose.yaml')
const chartFile = (name: string) => read(`helm/tollgate/${name}`)
const stateful = chartFile('templates/statefulset.yaml')
const values = parse(chartFile('values.yaml'))

const found = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]
const drain = settings.drainSeconds
const lameDuck = settings.lameDuckSeconds
const stopSecondsByDefault = Number(drain.byDefault) + Number(lameDuck.byDefault)

test('every variable of Tollgate in the files is a setting', () => {
  const known = [configFileSetting, ...Object.values(settings)].map((each) => each.variable)
  /** Only the compose file reads this variable: the name of an image. */
  const others = ['TOLLGATE_IMAGE']
  const files = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  const named = files
    .filter((entry) => entry.isFile())
    .flatMap((entry) => [
      ...readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(/\bTOLLGATE_[A-Z_]+/g),
    ])
    .map(([name]) => name)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((name) => !known.includes(name) && !others.includes(name))).toEqual([])
})

describe('values in several files agree', () => {
  const [user] = (found(dockerfile, /^USER (\d+):\d+$/m) ?? '').split(':')
  const port = found(dockerfile, /^EXPOSE (\d+)$/m) ?? ''
  const facts: readonly (readonly [string, string | undefined, string])[] = [
    ['the default port', settings.listen.byDefault?.split(':')[1], port],
    ['the port of the image', found(dockerfile, /TOLLGATE_LISTEN=:(\d+)/), port],
    ['the published port', found(compose, /127\.0\.0\.1:\d+:(\d+)/), port],
    ['the port of the Pod', found(stateful, /name: http, containerPort: (\d+)/), port],
    ['the address of the Pod', found(stateful, /TOLLGATE_LISTEN, value: ':(\d+)'/), port],
    [
      'the port of the metrics',
      found(stateful, /name: metrics, containerPort: (\d+)/),
      found(stateful, /TOLLGATE_METRICS_LISTEN, value: ':(\d+)'/) ?? '',
    ],
    ['the user of the Pod', found(stateful, /runAsUser: (\d+)/), user ?? ''],
    ['the group of the volume', found(stateful, /fsGroup: (\d+)/), user ?? ''],
    ['the owner of the data', found(dockerfile, /--chown=(\d+):/), user ?? ''],
    ['the volume of the image', found(dockerfile, /^VOLUME (\S+)$/m), '/data'],
    ['the data of the image', found(dockerfile, /TOLLGATE_DATA=(\S+)/), '/data'],
    ['the volume of the compose file', found(compose, /tollgate-data:(\/\S+)/), '/data'],
    ['the volume of the Pod', found(stateful, /name: data, mountPath: (\S+) \}/), '/data'],
    ['the data of the Pod', found(stateful, /TOLLGATE_DATA, value: (\S+) \}/), '/data'],
    ['the version of the chart', found(chartFile('Chart.yaml'), /^version: (\S+)$/m), version],
    ['the chart’s program', found(chartFile('Chart.yaml'), /^appVersion: (\S+)$/m), version],
  ]
  for (const [name, one, other] of facts) {
    test(name, () => {
      expect(other).not.toBe('')
      expect(one).toBe(other)
    })
  }
})

describe('a supervisor waits longer than the gateway drains', () => {
  const seconds: readonly (readonly [string, number])[] = [
    ['systemd', Number(found(unit, /^TimeoutStopSec=(\d+)$/m))],
    ['compose', Number(found(compose, /stop_grace_period: (\d+)s/))],
  ]
  for (const [name, limit] of seconds) {
    test(name, () => expect(limit).toBeGreaterThanOrEqual(stopSecondsByDefault + 20))
  }

  test('the chart adds its own values, and they are within the limits of the settings', () => {
    expect(stateful).toContain(
      'add .Values.lameDuckSeconds .Values.drainSeconds .Values.settleSeconds',
    )
    const { properties } = JSON.parse(chartFile('values.schema.json'))
    for (const name of ['drainSeconds', 'lameDuckSeconds'] as const) {
      const { kind } = settings[name]
      const { minimum, maximum } = properties[name]
      for (const fits of [minimum, maximum, values[name]]) {
        expect([name, fits, kind.written.safeParse(String(fits)).success]).toEqual([
          name,
          fits,
          true,
        ])
      }
      expect(kind.written.safeParse(String(maximum + 1)).success).toBe(false)
    }
  })
})

test('a supervisor sets the variables that Bun reads only when it starts', () => {
  for (const [name, value] of Object.entries(runtimeVariables)) {
    expect(dockerfile).toContain(`${name}=${value}`)
    expect(unit).toContain(`Environment=${name}=${value}`)
  }
})

test('the values have exactly the members of their schema', () => {
  const { properties } = JSON.parse(chartFile('values.schema.json'))
  const named = Object.keys(properties).filter((name) => name !== 'global')
  expect(Object.keys(values).sort()).toEqual(named.sort())
})

test('no file of the chart contains a secret, and the Pod takes secrets by reference', () => {
  const folder = found(stateful, /name: secrets, mountPath: (\S+), readOnly: true/)
  for (const name of ['database', 'secret', 'limits']) {
    expect(stateful).toContain(
      `{ name: TOLLGATE_${name.toUpperCase()}, value: 'file:${folder}/${name}' }`,
    )
    expect(stateful).toContain(`"${name}" .Values.${name}`)
  }
})

test('the compose file contains no secret, and each of its secrets is a file that a service uses', () => {
  const { services, secrets } = parse(compose)
  const used = Object.values<{ environment?: object; secrets?: string[] }>(services).flatMap(
    ({ environment = {}, secrets: named = [] }) => {
      const read = [...JSON.stringify(environment).matchAll(/\/run\/secrets\/([a-z-]+)/g)]
      expect(read.map(([, name]) => name)).toEqual(named)
      return named
    },
  )
  expect(used.sort()).toEqual(Object.keys(secrets).sort())
  for (const [name, { file }] of Object.entries<{ file: string }>(secrets))
    expect(file).toBe(`secrets/${name}`)
  expect(compose).not.toMatch(/PASSWORD:/)
})

test('the probes use paths that the gateway answers', () => {
  const probes = [...stateful.matchAll(/(\w+)Probe:\n +httpGet: \{ path: (\S+),/g)]
  expect(probes.map(([, probe, path]) => [probe, path])).toEqual([
    ['startup', '/readyz'],
    ['readiness', '/readyz'],
    ['liveness', '/healthz'],
  ])
})

test('a Pod gets no variables of services, whose names begin like those of settings', () => {
  expect(stateful).toContain('enableServiceLinks: false')
})

test('the config file of the package is valid unchanged, and with every suggested line', () => {
  const written = read('debian/tollgate.yaml')
  const suggested = written.replaceAll(/^# (?=[a-zA-Z]+: )/gm, '')
  const load = (text: string) =>
    loadConfig({
      vendors,
      env: {},
      cwd: root,
      readFile: (path) => (path.endsWith('.yaml') ? text : 'postgres://one@db.example/tollgate'),
    })
  expect(load(written).file?.holdsSecrets).toBe(false)
  expect(load(suggested)).toMatchObject({
    publicUrl: 'https://models.example.com',
    database: 'postgres://one@db.example/tollgate',
  })
})

test('the unit allows the runtime to compile, and nothing to gain privileges', () => {
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=yes/m)
  expect(unit).toMatch(/^NoNewPrivileges=yes$/m)
  expect(unit).toMatch(/^CapabilityBoundingSet=$/m)
})

test('the lockfile has the hash of every runtime, all of one version', () => {
  const packages = readLockfile()
  const versions = targets.map(({ runtime }) => packages[`node_modules/${runtime}`])
  expect(versions.every((locked) => locked?.integrity?.startsWith('sha512-'))).toBe(true)
  expect(new Set(versions.map((locked) => locked?.version))).toEqual(
    new Set([packages['node_modules/bun']?.version]),
  )
})
