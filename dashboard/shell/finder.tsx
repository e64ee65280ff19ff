import { Box, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router';
import { Dialog } from '#forms';
import { IconSearch } from '#icons';
import { onDemand } from '#parts';
import { t } from '#texts';
import { chooseLanguage } from '../language';
import { useRegistering } from '../pages/patients/registering';
import { FinderField } from './finder-field';
import classes from './finder.module.css';
import type { Hit } from './found';

const Search = onDemand(async () => (await import('./finder-search')).Search);

/** Finds people, records, pages and actions from any page: a field in the header, and ⌘K or Ctrl+K. */
export function Finder({ onShortcuts }: { onShortcuts: () => void }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { register, dialog } = useRegistering({ onPatient: ({ id }) => void navigate(`/patients/${id}`) });
  // Also while a field has the focus. The field is there, and has the focus, before the next key comes.
  useHotkeys([['mod+K', () => flushSync(open)]], []);
  const go = ({ opens }: Hit) => {
    close();
    if ('registers' in opens) register(opens.registers);
    else if ('speaks' in opens) chooseLanguage(opens.speaks);
    else if ('shortcuts' in opens) onShortcuts();
    else if ('presses' in opens) setTimeout(() => press(opens.presses), focusReturnMs);
    else if ('tab' in opens) window.open(opens.tab, '_blank', 'noreferrer');
    else void navigate(opens.to, { state: opens.state });
  };
  return (
    <>
      <UnstyledButton className={classes.field} onClick={open} aria-keyshortcuts="Meta+K Control+K">
        <IconSearch size={18} aria-hidden />
        <VisuallyHidden hiddenFrom="sm">{t`Find or do something`}</VisuallyHidden>
        <Text size="sm" visibleFrom="sm" component="span">
          {t`Find or do something`}
        </Text>
        <Box visibleFrom="md" component="span" aria-hidden>
          <Kbd size="xs">{isMac ? '⌘' : 'Ctrl'} K</Kbd>
        </Box>
      </UnstyledButton>
      <Dialog opened={isOpen} onClose={close} title={t`Find`} size="lg" centered={false} yOffset="8dvh">
        <Typing onOpen={go} />
      </Dialog>
      {dialog}
    </>
  );
}

/** By then the focus is back where it was before the finder. */
const focusReturnMs = 50;

function press(element: HTMLElement): void {
  element.focus();
  element.click();
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** What is typed while the search itself is on its way is not lost. */
function Typing({ onOpen }: { onOpen: (hit: Hit) => void }) {
  const [typed, setTyped] = useState('');
  const [isDue, setDue] = useState(false);
  const onType = (text: string) => {
    setDue(false);
    setTyped(text);
  };
  const typing = { typed, onType };
  const onKeyDown = ({ key }: { key: string }) => setDue(key === 'Enter' && typed.trim() !== '');
  return (
    <Suspense fallback={<FinderField {...typing} onKeyDown={onKeyDown} />}>
      <Search {...typing} isDue={isDue} onDue={() => setDue(true)} onOpen={onOpen} />
    </Suspense>
  );
}
