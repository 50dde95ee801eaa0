import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  RecordedText,
  RecordingRow,
  RevealedRecording,
} from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { formatBytes } from '../format/bytes.ts'
import { prettyJson } from '../format/pretty-json.ts'
import { IconDownload, IconEye } from '../icons/icons.ts'
import { ProblemText } from '../parts/feedback/problem-text.tsx'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { CodeBlock } from '../parts/values/code-block.tsx'
import { saveFile } from '../parts/values/save-file.ts'

/** More would make the panel slow; the download has everything. */
const shownCharactersMax = 200_000

/** The bodies of a recorded request. They are fetched on demand, because the audit log gets a row each time. */
export function RecordedBodies({ row }: { row: RecordingRow }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [revealed, setRevealed] = useState<RevealedRecording>()
  const reveal = useMutation({
    mutationFn: () =>
      runFresh(() => call('POST /recordings/{id}/reveal', { params: { id: row.requestId } })),
    onSuccess: setRevealed,
    // The contents are kept in this panel only.
    gcTime: 0,
  })
  const sizes = {
    request: formatBytes(row.requestBytes),
    response: formatBytes(row.responseBytes),
  }
  return (
    <Stack gap="sm">
      {revealed ? (
        <>
          {revealed.endUsers.length > 0 && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {t('recorded.endUser', { id: revealed.endUsers.join(', ') })}
            </Text>
          )}
          <Body
            title={t('recorded.request', { size: sizes.request })}
            body={revealed.request}
            name={`${row.requestId}-request`}
          />
          <Body
            title={t('recorded.response', { size: sizes.response })}
            body={revealed.response}
            name={`${row.requestId}-response`}
          />
        </>
      ) : (
        <Group justify="space-between" gap="md">
          <Text size="sm" c="dimmed" style={{ flex: '1 1 260px' }}>
            {t('recorded.text', sizes)}
          </Text>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconEye size={15} aria-hidden />}
            loading={reveal.isPending}
            onClick={() => reveal.mutate()}
          >
            {t('recorded.show')}
          </Button>
        </Group>
      )}
      {reveal.error && <ProblemText>{errorText(reveal.error)}</ProblemText>}
      {freshDialog}
    </Stack>
  )
}

interface BodyProps {
  readonly title: string
  readonly body: RecordedText
  /** The name of its file, without the ending. */
  readonly name: string
}

function Body({ title, body, name }: BodyProps) {
  const { t } = useTranslation()
  const isText = body.encoding === 'utf-8'
  const pretty = isText ? prettyJson(body.text, shownCharactersMax) : undefined
  const text = pretty ?? body.text
  const save = () => {
    const content = isText ? body.text : bytesOf(body.text)
    const textEnding = pretty === undefined ? 'txt' : 'json'
    const ending = isText ? textEnding : 'bin'
    saveFile(`${name}.${ending}`, new Blob([content], { type: 'application/octet-stream' }))
  }
  return (
    <section aria-label={title}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        {body.text !== '' && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={save}
          >
            {t('recorded.download')}
          </Button>
        )}
      </Group>
      {isText && text !== '' && (
        <div style={{ maxHeight: 420, overflow: 'auto' }}>
          <CodeBlock text={text.slice(0, shownCharactersMax)} />
        </div>
      )}
      {notesOf(body, text.length > shownCharactersMax).map((note) => (
        <Text key={note} size="sm" c={note === 'cut' ? 'orange' : 'dimmed'} mt={4}>
          {t(`recorded.${note}`, { size: formatBytes(body.bytes) })}
        </Text>
      ))}
    </section>
  )
}

function notesOf({ text, encoding, isCut }: RecordedText, isLong: boolean) {
  return [
    ...(text === '' && !isCut ? (['empty'] as const) : []),
    ...(encoding === 'base64' ? (['binary'] as const) : []),
    ...(encoding === 'utf-8' && isLong ? (['long'] as const) : []),
    ...(isCut ? (['cut'] as const) : []),
  ]
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
