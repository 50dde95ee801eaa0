import { Accordion, Alert, Badge, Group, Paper, Stack, Table, Text, ThemeIcon } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  type ExplainAnswer,
  type ExplainCandidate,
  type ExplainHold,
  type ExplainLeftOut,
  type ExplainQueue,
  leftOutCodes,
  requestChecks,
} from '../../../../src/console-api/contract.ts'
import { findCode } from '../../codes/find-code.ts'
import { useNoteText } from '../../codes/use-note-text.ts'
import { useReasonText } from '../../codes/use-reason-text.ts'
import { formatDollars } from '../../format/dollars.ts'
import { formatRecent } from '../../format/times.ts'
import { IconCheck, IconX } from '../../icons/icons.ts'
import { Section } from '../../parts/page/section.tsx'
import { CodeBlock } from '../../parts/values/code-block.tsx'
import { CostHead, CostRow, SumRow } from '../../usage/cost-rows.tsx'

/** Result of an explained request, in processing order. */
export function ExplainResult({ answer }: { answer: ExplainAnswer }) {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  const { refusal, candidates, leftOut, hold } = answer
  return (
    <Stack gap="lg">
      {refusal === null && answer.queue === null && (
        <Alert color="teal" title={t('explain.passes')}>
          {t('explain.passesText', {
            upstream: candidates[0]?.upstream ?? '—',
            count: candidates.length,
          })}
        </Alert>
      )}
      {refusal !== null && (
        <Alert color="red" title={t('explain.refused', { status: answer.status })}>
          <Text size="sm" fw={500}>
            {reasonText(refusal.code)}
          </Text>
          <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
            {t('explain.callerReads', { message: refusal.message })}
          </Text>
          <Badge color="red" mt="xs">
            {refusal.code}
          </Badge>
        </Alert>
      )}
      {answer.queue && <Waiting queue={answer.queue} />}
      <Section title={t('explain.checks')}>
        <Checks checks={answer.checks} />
      </Section>
      {candidates.length > 0 && (
        <Section title={t('explain.order')}>
          <Stack gap="xs" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
            {candidates.map((candidate, index) => (
              <Candidate
                key={`${candidate.group} ${candidate.upstream} ${candidate.credential}`}
                candidate={candidate}
                place={index + 1}
              />
            ))}
          </Stack>
        </Section>
      )}
      {leftOut.length > 0 && (
        <Section title={t('explain.leftOut')}>
          <LeftOut leftOut={leftOut} />
        </Section>
      )}
      {hold && (
        <Section title={t('explain.hold')} text={t('explain.holdText')}>
          <Hold hold={hold} />
        </Section>
      )}
      <Accordion variant="separated">
        <Accordion.Item value="raw">
          <Accordion.Control>{t('explain.raw')}</Accordion.Control>
          <Accordion.Panel>
            <CodeBlock text={JSON.stringify(answer.raw, null, 2)} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

/** All upstreams are full at this moment. */
function Waiting({ queue }: { queue: ExplainQueue }) {
  const { t } = useTranslation()
  const { wouldWait, length, lengthMax, secondsMax } = queue
  const priority = t(`priority.${queue.priority}`)
  return (
    <Alert color="orange" title={wouldWait ? t('explain.waits') : t('explain.full')}>
      {wouldWait && t('explain.waitsText', { seconds: secondsMax, priority })}{' '}
      {lengthMax === 0 ? t('explain.noQueue') : t('explain.queueLength', { length, lengthMax })}
    </Alert>
  )
}

function Checks({ checks }: { checks: ExplainAnswer['checks'] }) {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  const checkText = (name: string) => {
    const known = findCode(requestChecks, name)
    return known === undefined ? name : t(`explain.check.${known}`)
  }
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {checks.map((check) => (
          <Group key={check.name} component="li" gap="sm" wrap="nowrap" align="flex-start">
            <ThemeIcon
              size={20}
              radius="xl"
              variant="light"
              color={check.isPassed ? 'teal' : 'red'}
              aria-label={check.isPassed ? t('explain.passed') : t('explain.failed')}
              role="img"
            >
              {check.isPassed ? <IconCheck size={13} /> : <IconX size={13} />}
            </ThemeIcon>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <Text span inherit fw={500}>
                {checkText(check.name)}
              </Text>
              {check.code !== null && (
                <Text span inherit c="dimmed">
                  {' · '}
                  {reasonText(check.code)}
                </Text>
              )}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

function Candidate({ candidate, place }: { candidate: ExplainCandidate; place: number }) {
  const { t } = useTranslation()
  const noteText = useNoteText()
  return (
    <Paper withBorder p="sm" component="li">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Badge circle color={place === 1 ? 'petrol' : 'gray'}>
            {place}
          </Badge>
          <div>
            <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {candidate.upstream}
              {candidate.credential !== null && (
                <Text span size="xs" c="dimmed" ml={6} className="monospace">
                  {candidate.credential}
                </Text>
              )}
            </Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {candidate.group} · {candidate.upstreamModel}
              {' · '}
              {t('routes.placeText', {
                priority: candidate.priority,
                weight: candidate.weight,
              })}
            </Text>
          </div>
        </Group>
        <Text size="xs" c="dimmed">
          {noteText({
            reason: candidate.why,
            ...(candidate.fallbackFrom !== null && { fallbackFrom: candidate.fallbackFrom }),
          })}
        </Text>
      </Group>
    </Paper>
  )
}

function LeftOut({ leftOut }: { leftOut: readonly ExplainLeftOut[] }) {
  const { t, i18n } = useTranslation()
  const whyText = ({ code, until, why }: ExplainLeftOut) => {
    const known = findCode(leftOutCodes, code)
    if (known === undefined) return why
    return t(`out.${known}`, { time: until === null ? '—' : formatRecent(until, i18n.language) })
  }
  return (
    <Table bg="var(--mantine-color-body)" withTableBorder fz="sm" verticalSpacing={6}>
      <Table.Tbody>
        {leftOut.map((left) => (
          <Table.Tr key={`${left.group} ${left.upstream} ${left.model} ${left.why}`}>
            <Table.Td w="45%" style={{ overflowWrap: 'anywhere' }}>
              {left.upstream ?? left.group}
              <Text size="xs" c="dimmed">
                {left.group} · {left.model}
              </Text>
            </Table.Td>
            <Table.Td>{whyText(left)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Hold({ hold }: { hold: ExplainHold }) {
  const { t } = useTranslation()
  const lineText = (name: string) => {
    if (name === 'request') return t('requestDetail.perRequest')
    if (name === 'features') return t('prices.features')
    return name === 'input' || name === 'output' ? t(`bucket.${name}`) : name
  }
  return (
    <Table bg="var(--mantine-color-body)" withTableBorder fz="sm" verticalSpacing={6}>
      <CostHead />
      <Table.Tbody>
        {hold.lines.map((line) => (
          <CostRow
            key={line.name}
            label={lineText(line.name)}
            count={line.tokens}
            price={formatDollars(line.priceNano)}
            nano={line.amountNano}
          />
        ))}
        <SumRow label={t('explain.held')} nano={hold.amountNano} isTotal />
      </Table.Tbody>
    </Table>
  )
}
