import { t } from '@lingui/core/macro';
import { Component, type ReactNode } from 'react';
import { Problem } from './states';

const problem = { message: t`The dashboard may be newer than what you see. Try again to read it afresh.` };

/** Says that a page could not be shown, where there would be nothing: its code is gone after an update, or it failed. */
export class Boundary extends Component<{ at: string; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  // Another page may work.
  override componentDidUpdate({ at }: { at: string }) {
    if (at !== this.props.at && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <Problem error={problem} onRetry={() => window.location.reload()} />;
  }
}
