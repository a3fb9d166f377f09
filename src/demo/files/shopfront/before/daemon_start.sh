#!/bin/zsh
# Started by launchd at boot and whenever it ends.
cd /Users/deploy/Projects/shopfront || exit 1
export PATH="$HOME/.asdf/shims:$PATH"
RAILS_ENV=production exec bundle exec puma -C config/puma.rb
