import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { gatherBody } from './gather-body.ts'
import { OutgoingFailure, type ReplyBody } from './reply.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** The decompressed body; the same body when the upstream did not compress it. */
export function decodedBody(body: ReplyBody, coding: string | null): ReplyBody {
  const name = coding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const open = Object.entries(decoders).find(([known]) => known === name)?.[1]
  return open ? new DecodedBody(body, open) : new UnreadableBody(body, name)
}

/**
 * The gateway asks every upstream not to compress its answers; some compress them anyway. Decompression begins
 * with the first read, so a body that is refused unread costs nothing.
 */
class DecodedBody implements ReplyBody {
  readonly #body: ReplyBody
  readonly #openDecoder: () => Transform
  #pieces: AsyncIterator<Buffer | string> | undefined
  #failure: Error | undefined

  constructor(body: ReplyBody, openDecoder: () => Transform) {
    this.#body = body
    this.#openDecoder = openDecoder
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      if (this.#failure) throw this.#failure
      this.#pieces ??= this.#begin()
      const next = await this.#pieces.next()
      return next.done ? undefined : Buffer.from(next.value)
    } catch (error) {
      this.#body.cancel()
      if (error instanceof OutgoingFailure) throw error
      throw new OutgoingFailure('its compressed answer cannot be decompressed', {
        kind: 'bad_answer',
        cause: error,
      })
    }
  }

  readWhole(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return gatherBody(this, bytesMax)
  }

  cancel(): void {
    this.#body.cancel()
  }

  #begin(): AsyncIterator<Buffer | string> {
    const decoder = this.#openDecoder()
    // Decompression may fail while no reader waits. Without a listener the error would end the process.
    decoder.on('error', (error) => {
      this.#failure ??= error
    })
    void this.#feed(decoder)
    return decoder[Symbol.asyncIterator]()
  }

  async #feed(decoder: Transform): Promise<void> {
    try {
      for (let piece = await this.#body.read(); piece; piece = await this.#body.read()) {
        if (decoder.destroyed) return
        if (decoder.write(piece)) continue
        await new Promise((resolve) => {
          decoder.once('drain', resolve)
          decoder.once('close', resolve)
        })
      }
      decoder.end()
    } catch (error) {
      decoder.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

class UnreadableBody implements ReplyBody {
  readonly #body: ReplyBody
  readonly #coding: string

  constructor(body: ReplyBody, coding: string) {
    this.#body = body
    this.#coding = coding
  }

  read(): Promise<never> {
    this.#body.cancel()
    const why = `its answer is packed as "${this.#coding.slice(0, 50)}", which is not known`
    return Promise.reject(new OutgoingFailure(why, { kind: 'bad_answer' }))
  }

  readWhole(): Promise<never> {
    return this.read()
  }

  cancel(): void {
    this.#body.cancel()
  }
}
