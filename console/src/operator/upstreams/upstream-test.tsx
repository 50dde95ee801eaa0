import { Autocomplete, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  BodyOf,
  UpstreamDetail,
  UpstreamTestResult,
} from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { protocolLabel } from '../../codes/protocol-label.ts'
import { useProblemText } from '../../codes/use-problem-text.ts'
import { formatDuration } from '../../format/times.ts'
import { IconPlayerPlay } from '../../icons/icons.ts'
import { PageError } from '../../parts/feedback/page-error.tsx'
import { Money } from '../../parts/values/money.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { operatorKey } from '../operator-queries.ts'

/** Sends a small request with each credential in each protocol and shows the results. */
export function UpstreamTest({ upstream }: { upstream: UpstreamDetail }) {
  const { t } = useTranslation()
  const models = [...new Set(upstream.routes.map((route) => route.upstreamModel))]
  const [model, setModel] = useState(models[0] ?? '')
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: () => {
      const body: BodyOf<'POST /operate/upstreams/{id}/test'> = model === '' ? {} : { model }
      return call('POST /operate/upstreams/{id}/test', { params: { id: upstream.id }, body })
    },
    // The test also changes the health shown above and in the list.
    onSettled: () => queries.invalidateQueries({ queryKey: operatorKey }),
  })
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('upstreamTest.about')}
      </Text>
      <Group align="flex-end" gap="xs">
        <Autocomplete
          label={t('upstreamTest.model')}
          data={models}
          value={model}
          onChange={setModel}
          style={{ flex: 1 }}
        />
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {t('upstreamTest.run')}
        </Button>
      </Group>
      {test.error && <PageError error={test.error} />}
      <Stack gap="xs" aria-live="polite">
        {test.data?.results.map((result) => (
          <Result key={`${result.protocol} ${result.credential}`} result={result} />
        ))}
      </Stack>
    </Stack>
  )
}

function Result({ result }: { result: UpstreamTestResult }) {
  const { t } = useTranslation()
  const problemText = useProblemText()
  const { inputTokens, outputTokens, costNano } = result
  const protocol = protocolLabel(result.protocol)
  const label = [protocol, result.credential ?? ''].join(' ').trim()
  return (
    <Paper withBorder p="sm" component="section" aria-label={label}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge color={result.hasPassed ? 'teal' : 'red'} variant="dot">
            {result.hasPassed ? t('upstreamTest.passed') : t('upstreamTest.failed')}
          </Badge>
          <Text size="sm" fw={500}>
            {protocol}
          </Text>
          {result.credential !== null && (
            <Text size="xs" c="dimmed" className="monospace">
              {result.credential}
            </Text>
          )}
          {result.status !== null && <StatusBadge status={result.status} reason={null} />}
        </Group>
        <Text size="sm" className="figures">
          {formatDuration(result.totalMs)}
        </Text>
      </Group>
      {result.problem !== null && (
        <Text size="sm" c="red" mt="xs" component="div" style={{ overflowWrap: 'anywhere' }}>
          {problemText(result.problem).map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Text>
      )}
      {result.text !== null && (
        <Text size="sm" mt="xs" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
          {result.text}
        </Text>
      )}
      {(inputTokens !== null || costNano !== null) && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('upstreamTest.tokens', { input: inputTokens ?? 0, output: outputTokens ?? 0 })}
          {' · '}
          {costNano === null ? t('upstreamTest.noPrice') : <Money nano={costNano} />}
        </Text>
      )}
    </Paper>
  )
}
