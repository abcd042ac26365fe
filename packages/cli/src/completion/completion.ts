import { type ExitCode, exitCodes } from '../exit.ts'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'
import { bashScript } from './bash-script.ts'
import { type CommandWords, type CompletionModel, completionModel } from './completion-model.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const scripts: Readonly<Record<string, (model: CompletionModel) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** `weave completion <shell>`: prints a script; what to do with it stands in the message for those who forgot the shell. */
export function createCompletionCommand(words: CommandWords) {
  return async ({ positionals }: Arguments, terminal: Terminal): Promise<ExitCode> => {
    const [shell = '', ...more] = positionals
    const script = Object.hasOwn(scripts, shell) && more.length === 0 ? scripts[shell] : undefined
    if (!script) {
      for (const line of usage) terminal.error(line)
      return exitCodes.usage
    }
    terminal.out(script(completionModel(words)).trimEnd())
    return exitCodes.done
  }
}

const usage = [
  'Say for which shell, and where it should go:',
  '',
  '  bash  weave completion bash > ~/.local/share/bash-completion/completions/weave',
  '  zsh   weave completion zsh > "$fpath[1]/_weave"',
  '  fish  weave completion fish > ~/.config/fish/completions/weave.fish',
  '',
  'Or for this shell only: source <(weave completion bash)',
]
