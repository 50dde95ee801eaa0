import { Anchor, Box, Button, Group, Paper, Progress, Stack, Stepper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyPut, SetupAnswer, UpstreamDetail } from '../../../src/console-api/contract.ts'
import { keyOptionsQuery, sessionQuery } from '../api/queries.ts'
import { IconMinus } from '../icons/icons.ts'
import { callableModels } from '../keys/callable-models.ts'
import { useScope } from '../parts/dialogs/unsaved.tsx'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { fromSmall } from '../parts/lists/media.ts'
import { PageHeader } from '../parts/page/page-header.tsx'
import { Snippets } from '../snippets/snippets.tsx'
import { KeyStep } from './key-step.tsx'
import { ModelStep } from './model-step.tsx'
import { PasswordStep } from './password-step.tsx'
import { UpstreamStep } from './upstream-step.tsx'
import { firstUpstreamQuery, setupQuery, useCloseSetup } from './use-setup.ts'

const steps = ['password', 'upstream', 'model', 'key', 'finish'] as const

/** Mantine draws a check mark on every earlier step. A skipped step gets a grey dash instead. */
const skippedLook = { color: 'gray', completedIcon: <IconMinus size={16} /> }

/** Guided setup from a new gateway to a working key. */
export function SetupPage() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const navigate = useNavigate()
  const closeSetup = useCloseSetup()
  const scope = useScope()
  const setup = useQuery(setupQuery)
  const leave = async () => {
    try {
      await closeSetup()
      await navigate({ to: '/' })
    } catch (error) {
      notifyFailure(errorText(error))
    }
  }
  return (
    <Box maw={880}>
      <PageHeader title={t('setup.title')} text={t('setup.text')}>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => scope.leave(() => void leave())}
        >
          {t('setup.leave')}
        </Anchor>
      </PageHeader>
      {setup.error && <PageError error={setup.error} reset={() => void setup.refetch()} />}
      {setup.data ? (
        <Steps first={firstStep(setup.data)} onDone={() => void leave()} />
      ) : (
        setup.isPending && <PagePending />
      )}
    </Box>
  )
}

/** Resumes at the first step that is not done. */
function firstStep(setup: SetupAnswer): number {
  if (!setup.isOpen) return 0
  const done = [setup.hasPassword, setup.hasUpstream, setup.hasModel, setup.hasKey]
  return Math.max(0, done.indexOf(false))
}

function Steps({ first, onDone }: { first: number; onDone: () => void }) {
  const { t } = useTranslation()
  const isWide = useMediaQuery(fromSmall) ?? true
  const [step, setStep] = useState(first)
  const scope = useScope()
  const [made, setMade] = useState<UpstreamDetail>()
  const [model, setModel] = useState<string>()
  const [key, setKey] = useState<KeyPut>()
  const setup = useQuery(setupQuery).data
  const earlier = useQuery(firstUpstreamQuery(setup?.upstreamId ?? null)).data
  const isDone: Readonly<Record<(typeof steps)[number], boolean>> = {
    password: useQuery(sessionQuery).data?.user?.hasPassword ?? false,
    upstream: made !== undefined || (setup?.hasUpstream ?? false),
    model: model !== undefined || (setup?.hasModel ?? false),
    key: key !== undefined,
    finish: false,
  }
  const next = () => setStep((old) => old + 1)
  const back = () => setStep((old) => old - 1)
  const moves = { onBack: back, onNext: next }
  return (
    <Paper withBorder p={{ base: 'md', sm: 'xl' }}>
      {isWide ? (
        <Stepper active={step} onStepClick={(next) => scope.leave(() => setStep(next))} size="sm">
          {steps.map((name, index) => (
            <Stepper.Step
              key={name}
              label={t(`setup.${name}`)}
              {...(index < step &&
                !isDone[name] && { ...skippedLook, description: t('setup.skipped') })}
            />
          ))}
        </Stepper>
      ) : (
        <ShortSteps step={step} />
      )}
      <Stack mt="xl">
        {step === 0 && <PasswordStep onNext={next} />}
        {step === 1 && <UpstreamStep upstream={made} onMade={setMade} {...moves} />}
        {step === 2 && (
          <ModelStep upstream={made ?? earlier} made={model} onMade={setModel} {...moves} />
        )}
        {step === 3 && <KeyStep made={key} onMade={setKey} {...moves} />}
        {step >= 4 && <Finish made={key} onBack={back} onDone={onDone} />}
      </Stack>
    </Paper>
  )
}

function Finish(props: { made: KeyPut | undefined; onBack: () => void; onDone: () => void }) {
  const { made, onBack, onDone } = props
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Text size="sm">{made ? t('setup.finishText') : t('setup.finishNoKey')}</Text>
      {made && <FinishSnippets made={made} />}
      <Group justify="space-between">
        <Button variant="subtle" color="gray" onClick={onBack}>
          {t('setup.back')}
        </Button>
        <Button onClick={onDone}>{t('setup.done')}</Button>
      </Group>
    </Stack>
  )
}

function FinishSnippets({ made }: { made: KeyPut }) {
  const options = useQuery(keyOptionsQuery(made.key.accountId)).data
  const root = useQuery(sessionQuery).data?.gatewayUrl ?? window.location.origin
  if (!options) return <PagePending />
  return (
    <Snippets
      root={root}
      models={callableModels(made.key, options)}
      value={made.value ?? undefined}
    />
  )
}

/** Five steps do not fit side by side on a phone. */
function ShortSteps({ step }: { step: number }) {
  const { t } = useTranslation()
  const name = steps[step] ?? 'finish'
  const place = t('setup.place', { number: step + 1, count: steps.length })
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        {t('setup.placeAndName', { place, name: t(`setup.${name}`) })}
      </Text>
      <Progress value={((step + 1) / steps.length) * 100} size="sm" aria-label={place} />
    </Stack>
  )
}
