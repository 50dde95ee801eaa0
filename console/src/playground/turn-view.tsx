import { Badge, Box, Button, Code, Group, Image, Paper, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChatTurn, ToolCall } from './turn.ts'

interface TurnViewProps {
  readonly turn: ChatTurn
  /** For tool calls without a result. */
  readonly onResult?: ((call: ToolCall, text: string) => void) | undefined
  readonly openCalls?: readonly string[]
}

export function TurnView({ turn, onResult, openCalls = [] }: TurnViewProps) {
  const { t } = useTranslation()
  if (turn.kind === 'user') {
    return (
      <Paper className="turn turn-user" p="sm">
        <Speaker name={t('play.you')} />
        {turn.picture && (
          <Image
            src={`data:${turn.picture.mediaType};base64,${turn.picture.data}`}
            alt=""
            mah={200}
            w="auto"
            fit="contain"
            radius="md"
            mb={6}
          />
        )}
        <Said text={turn.text} />
      </Paper>
    )
  }
  if (turn.kind === 'result') {
    return (
      <Paper className="turn" withBorder p="sm">
        <Speaker name={t('play.toolResult', { name: turn.call.name })} />
        <Code block>{turn.text}</Code>
      </Paper>
    )
  }
  return (
    <Paper className="turn" withBorder p="sm">
      <Speaker name={t('play.assistant')} />
      {turn.reasoning !== '' && (
        <Box mb={6} className="turn-reasoning">
          <Text size="xs" c="dimmed" fw={500}>
            {t('play.reasoning')}
          </Text>
          <Text size="sm" c="dimmed" className="turn-text">
            {turn.reasoning}
          </Text>
        </Box>
      )}
      <Said text={turn.text} />
      {turn.calls.map((call, index) => (
        <Stack key={call.id === '' ? index : call.id} gap={6} mt="xs">
          <Group gap={6}>
            <Badge color="violet">{t('play.toolCall', { name: call.name })}</Badge>
          </Group>
          <Code block>{call.argumentText}</Code>
          {onResult && openCalls.includes(call.id) && (
            <ResultForm call={call} onResult={onResult} />
          )}
        </Stack>
      ))}
    </Paper>
  )
}

function ResultForm(props: { call: ToolCall; onResult: (call: ToolCall, text: string) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <Textarea
        aria-label={t('play.toolAnswer')}
        placeholder={t('play.toolAnswer')}
        autosize
        minRows={1}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        style={{ flex: 1 }}
      />
      <Button
        variant="default"
        disabled={text === ''}
        onClick={() => props.onResult(props.call, text)}
      >
        {t('play.send')}
      </Button>
    </Group>
  )
}

function Speaker({ name }: { name: string }) {
  return (
    <Text size="xs" c="dimmed" fw={600} mb={2}>
      {name}
    </Text>
  )
}

function Said({ text }: { text: string }) {
  return (
    <Text size="sm" className="turn-text">
      {text}
    </Text>
  )
}
