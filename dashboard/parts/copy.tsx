import { ActionIcon, Button, CopyButton as Copy, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '#icons';
import { t } from '#texts';
import { Small } from '#words';
import classes from './copy.module.css';

/** Copies a text; `what` names it for those who only hear the button. */
const CopyIcon = ({ value, what }: { value: string; what: string }) => (
  <Copy value={value} timeout={1_500}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? t`Copied` : t`Copy ${what}`}>
        <ActionIcon variant="subtle" color={copied ? 'green' : 'gray'} onClick={copy} aria-label={t`Copy ${what}`}>
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
    )}
  </Copy>
);

export const CopyButton = ({ value, label }: { value: string; label: string }) => (
  <Copy value={value} timeout={1_500}>
    {({ copied, copy }) => (
      <Button
        variant="default"
        onClick={copy}
        leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      >
        {copied ? t`Copied` : label}
      </Button>
    )}
  </Copy>
);

/** An identifier or address, all of it, with a button that copies it. */
export const CopyLine = ({ value, what }: { value: string; what: string }) => (
  <Group gap={4} wrap="nowrap" miw={0}>
    <Text component="code" className={classes.line}>
      {value}
    </Text>
    <CopyIcon value={value} what={what} />
  </Group>
);

/** A named identifier. */
export const IdLine = ({ name, value }: { name: string; value: string }) => (
  <div>
    <Small>{name}</Small>
    <CopyLine value={value} what={t`the ${name.toLowerCase()} id`} />
  </div>
);

/** A command or a document, as it would be typed; scrolls by keyboard too. `wraps` shows a long word whole. */
export const CodeBlock = ({ text, what, wraps = false }: { text: string; what: string; wraps?: boolean }) => (
  <div className={classes.block}>
    <div className={classes.corner}>
      <CopyIcon value={text} what={what} />
    </div>
    <pre className={classes.pre} data-wraps={wraps || undefined} tabIndex={0} aria-label={what}>
      {text}
    </pre>
  </div>
);
