import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface PrivateCa {
  /** The root certificate, as PEM. */
  readonly root: string
  /** A certificate of this CA for one name. */
  readonly certificate: Certificate
}

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** A private certificate authority with one certificate for `name`. */
export function makePrivateCa(name: string): PrivateCa {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-ca-'))
  const openssl = (...words: string[]) => {
    const { status, stderr } = spawnSync('openssl', words, { cwd: folder })
    if (status !== 0) throw new Error(`openssl ${words[0]} failed: ${stderr.toString()}`)
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout']
  try {
    const root = ['req', '-x509', ...key, 'root.key', '-out', 'root.pem', '-days', '30']
    openssl(...root, '-subj', '/CN=A private root')
    openssl('req', ...key, 'leaf.key', '-out', 'leaf.csr', '-subj', `/CN=${name}`)
    writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${name}\n`)
    const sign = ['x509', '-req', '-in', 'leaf.csr', '-CA', 'root.pem', '-CAkey', 'root.key']
    openssl(...sign, '-CAcreateserial', '-days', '30', '-extfile', 'names', '-out', 'leaf.pem')
    return {
      root: read('root.pem'),
      certificate: { key: read('leaf.key'), cert: read('leaf.pem') },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
