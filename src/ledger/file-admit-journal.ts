import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AdmitJournal, AdmitRecord } from './admit-journal.ts'
import { journalFileName, sealLine } from './journal-lines.ts'
import type { LeaseOwner } from './lease-units.ts'

/** A segment is deleted once every request in it is settled; small segments keep the folder small. */
const segmentBytesMax = 4 * 1024 * 1024

interface Segment {
  readonly path: string
  readonly file: number
  bytes: number
  open: number
}

/**
 * Appends to files that only this process writes. A write that has returned is in the kernel's hands and
 * survives the death of the process, which is what recovery is for.
 */
export function openFileAdmitJournal(folder: string, owner: LeaseOwner): AdmitJournal {
  mkdirSync(folder, { recursive: true })
  let number = 0
  const openSegment = (): Segment => {
    number += 1
    const path = join(folder, journalFileName(owner, number))
    return { path, file: openSync(path, 'wx', 0o600), bytes: 0, open: 0 }
  }
  const discard = (segment: Segment): void => {
    closeSync(segment.file)
    rmSync(segment.path, { force: true })
  }
  let current = openSegment()

  return {
    admit: (record: AdmitRecord) => {
      if (current.bytes >= segmentBytesMax) {
        const full = current
        current = openSegment()
        if (full.open === 0) discard(full)
      }
      const segment = current
      const line = Buffer.from(sealLine(JSON.stringify(record)))
      segment.bytes += line.length
      writeWhole(segment.file, line)
      segment.open += 1
      return () => {
        segment.open -= 1
        if (segment.open === 0 && segment !== current) discard(segment)
      }
    },
    close: () => {
      if (current.open === 0) discard(current)
      else closeSync(current.file)
    },
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}
